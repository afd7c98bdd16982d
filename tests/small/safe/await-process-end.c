// A thread waits for what never comes, and the process ends meanwhile: the end lets nobody go on.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy = 1;

static void *work(void *unused)
{
    while (busy)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
