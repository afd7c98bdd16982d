// Two readers agree on the order of two writes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b, c_, d;

static void *w1(void *unused)
{
    x = 1;
    return unused;
}

static void *w2(void *unused)
{
    y = 1;
    return unused;
}

static void *r1(void *unused)
{
    a = x;
    b = y;
    return unused;
}

static void *r2(void *unused)
{
    c_ = y;
    d = x;
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, w1, NULL);
    pthread_create(&threads[1], NULL, w2, NULL);
    pthread_create(&threads[2], NULL, r1, NULL);
    pthread_create(&threads[3], NULL, r2, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    pthread_join(threads[3], NULL);
    assert(!(a == 1 && b == 0 && c_ == 1 && d == 0));
    return 0;
}
