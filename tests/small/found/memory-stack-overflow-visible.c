// Recursion without end, in a thread, that does something visible all the way down: thousands of events with deep call stacks.
//
// heddle: kind = crash
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int entered;

static int deep(int n)
{
    volatile char room[700];
    room[n % 700] = 1;
    atomic_fetch_add(&entered, 1);
    return deep(n + 1) + room[3];
}

static void *run(void *unused)
{
    deep(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
}
