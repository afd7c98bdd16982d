// The address of a variable is handed out, and its function returns. When the other thread writes there, another function has the
// memory. Nobody has touched the variable before, in that order.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <pthread.h>

static void *set(void *variable)
{
    *(int *)variable = 1;
    return NULL;
}

__attribute__((noinline)) static void hand_out(pthread_t *thread)
{
    volatile int variable[8] = {0};
    pthread_create(thread, NULL, set, (void *)&variable[4]);
}

__attribute__((noinline)) static void wait(pthread_t thread)
{
    char room[128];
    __asm__ volatile("" : : "r"(room) : "memory");
    pthread_join(thread, NULL);
    __asm__ volatile("" : : "r"(room) : "memory");
}

int main(void)
{
    pthread_t thread;
    hand_out(&thread);
    wait(thread);
    return 0;
}
