// A thread adds to a counter of a function that may have returned, and another function may have the memory by then. In no order has
// anybody used the counter before it is too late.
//
// heddle: kind = data-race
#include <pthread.h>
#include <stdatomic.h>

static void *add(void *counter)
{
    atomic_fetch_add((atomic_int *)counter, 1);
    return NULL;
}

__attribute__((noinline)) static void hand_out(pthread_t *thread)
{
    atomic_int counters[8];
    for (int i = 0; i < 8; i++)
        atomic_init(&counters[i], 0);
    pthread_create(thread, NULL, add, &counters[4]);
}

__attribute__((noinline)) static void wait(pthread_t thread)
{
    volatile char room[256];
    for (int i = 0; i < 256; i++)
        room[i] = 0;
    pthread_join(thread, NULL);
}

int main(void)
{
    pthread_t thread;
    hand_out(&thread);
    wait(thread);
    return 0;
}
