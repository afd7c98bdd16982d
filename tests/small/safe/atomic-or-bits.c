// Bits set by different threads do not get lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *one(void *unused)
{
    atomic_fetch_or(&x, 1);
    return unused;
}

static void *two(void *unused)
{
    atomic_fetch_or(&x, 2);
    return unused;
}

static void *three(void *unused)
{
    atomic_fetch_or(&x, 4);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_create(&threads[2], NULL, three, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    assert(x == 7);
    return 0;
}
