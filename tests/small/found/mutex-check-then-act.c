// What was checked under the lock is used after it was given up.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int tickets = 1;

static void *buy(void *unused)
{
    pthread_mutex_lock(&m);
    int left = tickets;
    pthread_mutex_unlock(&m);
    if (left > 0) {
        pthread_mutex_lock(&m);
        tickets--;
        assert(tickets >= 0);
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, buy, NULL);
    pthread_create(&threads[1], NULL, buy, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
