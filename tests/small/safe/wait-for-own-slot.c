// Threads wait for the slot that they have drawn, and reach it through a pointer in memory. Meanwhile others write plain memory.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct slot {
    atomic_int full;
    int data;
};

static struct slot *slots;
static atomic_int next;

static void *pop(void *unused)
{
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&slots[mine].full) != 1)
        ;
    if (slots[mine].data != 7)
        abort();
    return unused;
}

int main(void)
{
    pthread_t thread;
    slots = calloc(2, sizeof *slots);
    pthread_create(&thread, NULL, pop, NULL);
    for (int i = 0; i < 2; i++) {
        slots[i].data = 7;
        atomic_store(&slots[i].full, 1);
    }
    pop(NULL);
    pthread_join(thread, NULL);
    free(slots);
    return 0;
}
