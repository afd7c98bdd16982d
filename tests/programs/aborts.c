// A thread that gives up when it comes first.
//
// heddle: verdict = found
// heddle: kind = abort
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int ready;

static void *prepare(void *unused)
{
    atomic_store(&ready, 1);
    return unused;
}

static void *use(void *unused)
{
    if (!atomic_load(&ready))
        abort(); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, prepare, NULL);
    pthread_create(&two, NULL, use, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
