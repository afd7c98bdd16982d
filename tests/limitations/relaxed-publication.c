// Data that is published by relaxed atomics. Fences in assembly do not count.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *publish(void *unused)
{
    data = 1;
    __asm__ volatile("mfence" ::: "memory");
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    int seen = atomic_load_explicit(&ready, memory_order_relaxed) ? data : 0;
    pthread_join(thread, NULL);
    return seen == 77;
}
