// A thread writes a variable of a function that may have returned. If it comes in time, an assertion fails; if not, it writes into
// another function's memory.
//
// heddle: kind = assertion
// heddle: flags = --races ignore --memory off
#include <assert.h>
#include <pthread.h>

static void *set(void *variable)
{
    assert(*(volatile int *)variable != 7);
    return NULL;
}

__attribute__((noinline)) static void hand_out(pthread_t *thread)
{
    volatile int variable = 7;
    pthread_create(thread, NULL, set, (void *)&variable);
}

__attribute__((noinline)) static void wait(pthread_t thread)
{
    volatile int room[32];
    for (int i = 0; i < 32; i++) room[i] = 0;
    pthread_join(thread, NULL);
}

int main(void)
{
    pthread_t thread;
    hand_out(&thread);
    wait(thread);
    return 0;
}
