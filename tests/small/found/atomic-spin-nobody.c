// A thread waits by looking for what nobody does.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *wait_(void *unused)
{
    while (!ready)
        ;
    return unused;
}

static void *other(void *unused)
{
    ready = 0;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait_, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
