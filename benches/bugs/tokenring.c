// Four threads copy each other's variable in a ring; each believes that its copy is the successor's.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
#define atomic_int int // a data race on top
#endif

static atomic_int x1 = 1, x2 = 2, x3 = 1;
static atomic_int flags[3];

static void *one(void *unused)
{
    x1 = (x3 + 1) % 4;
    flags[0] = 1;
    return unused;
}

static void *two(void *unused)
{
    x2 = x1;
    flags[1] = 1;
    return unused;
}

static void *three(void *unused)
{
    x3 = x2;
    flags[2] = 1;
    return unused;
}

static void *check(void *unused)
{
    if (flags[0] && flags[1] && flags[2])
        assert(x1 == x2 && x2 == x3);
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    void *(*work[4])(void *) = {one, two, three, check};
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
