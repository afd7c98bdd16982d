// For the cost of one visible operation, and of one switch: two threads that yield OPERATIONS times each, and nothing
// else.
#include <pthread.h>
#include <sched.h>

#ifndef OPERATIONS
#define OPERATIONS 1000
#endif

static void *work(void *unused)
{
    for (int i = 0; i < OPERATIONS; i++)
        sched_yield();
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
