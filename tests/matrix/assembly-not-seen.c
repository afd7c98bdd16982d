// Threads that synchronise in inline assembly: nothing is proven.
//
// heddle: verdict = incomplete
#include <assert.h>
#include <pthread.h>

static int flag;

static void *set(void *unused)
{
    int one = 1;
    __asm__ volatile("lock; xchgl %0, %1" : "+r"(one), "+m"(flag));
    return unused;
}

int main(void)
{
    pthread_t thread;
    int seen;
    pthread_create(&thread, NULL, set, NULL);
    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(flag));
    assert(seen == 0);
    pthread_join(thread, NULL);
    return 0;
}
