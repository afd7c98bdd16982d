// Waits for a value that another thread counts up to. What a look has found is kept in a register over a call, and stays there.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int x;
static __attribute__((noinline)) void note(int value) { __asm__ volatile("" : : "r"(value)); }
static void *count(void *argument)
{
    for (int i = 0; i < K; i++) atomic_fetch_add(&x, 1);
    return argument;
}
static __attribute__((noinline)) void await(void)
{
    for (;;) {
        int seen = atomic_load(&x);
        if (seen == K) break;
        note(seen);
        note(seen);
    }
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    await();
    pthread_join(thread, NULL);
    return 0;
}
