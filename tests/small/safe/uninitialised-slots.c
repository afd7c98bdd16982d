// Atomics in slots of the stack that printf and the runtime have used before. What was there is nobody's business.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static void *add(void *place)
{
    atomic_fetch_add((atomic_long *)place, 1);
    return NULL;
}

static void fill(void)
{
    atomic_long places[600];
    for (int i = 0; i < 600; i++)
        atomic_store(&places[i], 0);
    pthread_t thread;
    pthread_create(&thread, NULL, add, places);
    pthread_join(thread, NULL);
}

int main(void)
{
    printf("%d %s\n", 3, "a");
    fill();
    return 0;
}
