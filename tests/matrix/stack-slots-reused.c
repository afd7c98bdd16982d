// Atomics on a stack where `printf` has left something: what a slot held before its first store is nobody's business.
//
// heddle: verdict = safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static void *add(void *counter)
{
    atomic_fetch_add((atomic_long *)counter, 1);
    return NULL;
}

static void count(void)
{
    atomic_long counters[600];
    pthread_t thread;
    for (int i = 0; i < 600; i++)
        atomic_store(&counters[i], 0);
    pthread_create(&thread, NULL, add, counters);
    pthread_join(thread, NULL);
}

int main(void)
{
    printf("%d %s\n", 3, "a");
    count();
    return 0;
}
