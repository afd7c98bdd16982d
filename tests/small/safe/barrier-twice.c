// A barrier is used for two rounds.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int x[2];

static void *one(void *unused)
{
    x[0] = 1;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    assert(x[1] == 2);
    return unused;
}

static void *two(void *unused)
{
    pthread_barrier_wait(&barrier);
    x[1] = x[0] + 1;
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
