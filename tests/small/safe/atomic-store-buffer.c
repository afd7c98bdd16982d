// Under sequential consistency one of two sees the other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *one(void *unused)
{
    x = 1;
    a = y;
    return unused;
}

static void *two(void *unused)
{
    y = 1;
    b = x;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(a || b);
    return 0;
}
