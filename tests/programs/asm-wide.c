// Sixteen bytes at once: an atomic in assembly, in a function that is inlined.
//
// heddle: verdict = incomplete
// heddle: exhaustive = no
#include <assert.h>
#include <pthread.h>

struct pair {
    long first, second;
} __attribute__((aligned(16)));

static struct pair pair;

static inline void add(void)
{
    long first = 0, second = 0;
    unsigned char done;
    do
        __asm__ volatile("lock cmpxchg16b %1\n\tsetz %0"
                         : "=q"(done), "+m"(pair), "+a"(first), "+d"(second)
                         : "b"(first + 1), "c"(second + 1)
                         : "memory", "cc");
    while (!done);
}

static void *both(void *unused)
{
    add();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, both, NULL);
    add();
    pthread_join(thread, NULL);
    return 0;
}
