// The other read-modify-writes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *one(void *unused)
{
    atomic_fetch_sub(&x, 3);
    atomic_fetch_xor(&y, 5);
    return unused;
}

static void *two(void *unused)
{
    atomic_fetch_add(&x, 3);
    atomic_fetch_xor(&y, 5);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 0 && y == 0);
    atomic_fetch_and(&x, 0);
    return 0;
}
