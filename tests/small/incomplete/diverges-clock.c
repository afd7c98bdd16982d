// The processor's clock decides nothing, but its value is stored where others could see it: no two executions are the same.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic unsigned long stamp;

static void *note(void *unused)
{
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    stamp = (unsigned long)high << 32 | low;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, note, NULL);
    pthread_join(thread, NULL);
    return 0;
}
