// An atomic structure of eight bytes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    int a, b;
};

static _Atomic struct pair pair;

static void *set(void *unused)
{
    struct pair both = {1, 1};
    atomic_store(&pair, both);
    return unused;
}

static void *check(void *unused)
{
    struct pair seen = atomic_load(&pair);
    assert(seen.a == seen.b);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, set, NULL);
    pthread_create(&two, NULL, check, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
