// A thread waits by looking.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int value;

static void *wait_(void *unused)
{
    while (!ready)
        ;
    assert(value == 3);
    return unused;
}

static void *set(void *unused)
{
    value = 3;
    ready = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait_, NULL);
    pthread_create(&threads[1], NULL, set, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
