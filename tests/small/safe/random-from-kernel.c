// Random numbers from the kernel, asked for by an instruction of the program's own, are the same in every execution: who does what is decided by the order alone.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int even, odd;

static long kernel_random(unsigned long *into, long size)
{
    long number = 318;
    __asm__ volatile("syscall" : "+a"(number) : "D"(into), "S"(size), "d"(0) : "rcx", "r11", "memory");
    return number;
}

static void *draw(void *unused)
{
    unsigned long draws[8];
    kernel_random(draws, sizeof draws);
    for (int i = 0; i < 8; i++)
        (draws[i] & 1 ? &odd : &even)[0]++;
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, draw, NULL);
    pthread_create(&other, NULL, draw, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
