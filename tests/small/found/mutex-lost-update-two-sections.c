// Read in one critical section, written in another.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *add(void *unused)
{
    pthread_mutex_lock(&m);
    int old = n;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    n = old + 1;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(n == 2);
    return 0;
}
