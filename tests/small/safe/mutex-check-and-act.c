// Checked and used under one lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int tickets = 1;

static void *buy(void *unused)
{
    pthread_mutex_lock(&m);
    if (tickets > 0)
        tickets--;
    assert(tickets >= 0);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, buy, NULL);
    pthread_create(&threads[1], NULL, buy, NULL);
    pthread_create(&threads[2], NULL, buy, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
