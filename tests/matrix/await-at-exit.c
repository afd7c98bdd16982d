// A thread waits for what nobody does, and main returns: the end of the process ends the wait.
//
// heddle: verdict = safe
#include <pthread.h>
#include <stdatomic.h>

atomic_int busy = 1;

static void *await(void *unused)
{
    while (busy)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, await, NULL);
    return 0;
}
