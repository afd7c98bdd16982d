// A loop that waits for a write that never comes.
//
// heddle: verdict = found
// heddle: kind = deadlock
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

// Not static: who sees that nobody writes it drops the load.
atomic_int ready;

static void *wait_for_it(void *unused)
{
    while (!atomic_load(&ready)) // heddle: here
        ;
    return unused;
}

int main(void)
{
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    pthread_join(waiter, NULL); // heddle: here
    return 0;
}
