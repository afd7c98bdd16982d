// A barrier for one lets everybody through.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int x[2];

static void *one(void *unused)
{
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_join(threads[0], NULL);
    return 0;
}
