// Assembly that uses no memory: fences, instructions on registers, and what the preprocessor has left out.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <pthread.h>
#include <stdatomic.h>

#if 0
#define SET(place) __asm__ volatile("movl $1, %0" : "=m"(place))
#endif

static atomic_int count;

static void *add(void *unused)
{
    unsigned low, high;
    __asm__ volatile("mfence" ::: "memory");
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    __asm__("xorl %0, %0" : "+r"(low));
#ifdef __aarch64__
    __asm__ volatile("str %w0, [%1]" : : "r"(low), "r"(&count) : "memory");
#endif
    count++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
