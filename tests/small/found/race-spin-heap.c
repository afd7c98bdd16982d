// A thread waits for plain memory of the heap, with a hint to the processor in the loop.
//
// heddle: kind = data-race
// heddle: flags = --hang-timeout 500ms
#include <pthread.h>
#include <stdlib.h>

static void *set(void *go)
{
    *(int *)go = 1;
    return NULL;
}

int main(void)
{
    int *go = calloc(1, sizeof *go);
    pthread_t thread;
    pthread_create(&thread, NULL, set, go);
    while (!*go) __asm__ volatile("pause" ::: "memory");
    pthread_join(thread, NULL);
    free(go);
    return 0;
}
