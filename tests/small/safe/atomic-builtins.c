// The builtins of gcc.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int x;

static void *one(void *unused)
{
    __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
    return unused;
}

static void *two(void *unused)
{
    __sync_fetch_and_add(&x, 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 2);
    return 0;
}
