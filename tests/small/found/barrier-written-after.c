// Written after the barrier, read after it.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
int x[2];

static void *one(void *unused)
{
    pthread_barrier_wait(&barrier);
    x[0] = 1;
    return unused;
}

static void *two(void *unused)
{
    pthread_barrier_wait(&barrier);
    assert(x[0] < 2);
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
