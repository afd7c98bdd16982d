// Threads use variables of functions, at the same places of a stack again and again. Each function waits until its thread has ended.
#include <pthread.h>
#include <stddef.h>

static void *fill(void *variable)
{
    *(int *)variable = 1;
    return NULL;
}

__attribute__((noinline)) static int ask(void)
{
    int variable[8] = {0};
    pthread_t thread;
    pthread_create(&thread, NULL, fill, &variable[4]);
    pthread_join(thread, NULL);
    return variable[4];
}

__attribute__((noinline)) static int ask_from_further_down(void)
{
    volatile char room[24] = {0};
    return ask() + room[7];
}

int main(void)
{
    return ask() + ask_from_further_down() + ask() - 3;
}
