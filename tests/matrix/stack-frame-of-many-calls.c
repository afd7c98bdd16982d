// A thread fills in a variable of a function, which waits for it. Other functions have had that memory before, and have it after.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <pthread.h>
#include <stddef.h>

static void *fill(void *variable)
{
    *(int *)variable = 1;
    return NULL;
}

__attribute__((noinline)) static int use_memory(int seed)
{
    volatile int room[32];
    for (int i = 0; i < 32; i++)
        room[i] = seed + i;
    return room[seed % 32];
}

__attribute__((noinline)) static int ask(void)
{
    int variable[8] = {0};
    pthread_t thread;
    pthread_create(&thread, NULL, fill, &variable[4]);
    pthread_join(thread, NULL);
    return variable[4];
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += use_memory(i) + ask() + use_memory(i + 1);
    return sum == 77;
}
