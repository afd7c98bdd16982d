// Volatile is not atomic.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>

volatile int stop;

static void *one(void *unused)
{
    stop = 1;
    return unused;
}

static void *two(void *unused)
{
    assert(stop < 2);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
