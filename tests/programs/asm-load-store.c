// Plain loads and stores in inline assembly look like any others in machine code: the sources say where they are.
//
// heddle: verdict = incomplete
// heddle: exhaustive = no
#include <assert.h>
#include <pthread.h>

#define STORE(place, value) __asm__ volatile("movl %1, %0" : "=m"(place) : "r"(value))

static int flag;

static void *set(void *unused)
{
    STORE(flag, 1);
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
