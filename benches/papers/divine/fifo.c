// A queue of nodes with one reader and one writer, without locks. With BUG the writer links a node before its end is written.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NODE 2
#define ITEMS 3

struct node {
    atomic_int read, written;
    _Atomic(struct node *) next;
    int items[NODE];
};

static struct node nodes[ITEMS];
static struct node *first = &nodes[0], *last = &nodes[0];
static int used = 1;

static void push(int item) {
    int at = atomic_load(&last->written);
    if (at == NODE) {
        struct node *fresh = &nodes[used++];
        atomic_store(&last->next, fresh);
        last = fresh;
        at = 0;
    }
#ifdef BUG
    atomic_store(&last->written, at + 1);
    last->items[at] = item;
#else
    last->items[at] = item;
    atomic_store(&last->written, at + 1);
#endif
}

static int pop(int *item) {
    int at = atomic_load(&first->read);
    if (at == NODE) {
        struct node *next = atomic_load(&first->next);
        if (!next) return 0;
        first = next;
        at = 0;
    }
    if (at == atomic_load(&first->written)) return 0;
    *item = first->items[at];
    atomic_store(&first->read, at + 1);
    return 1;
}

static void *writer(void *argument) {
    for (int i = 1; i <= ITEMS; i++) push(i);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    for (int expected = 1; expected <= ITEMS;) {
        int item = 0;
        if (pop(&item)) assert(item == expected++);
    }
    pthread_join(thread, 0);
}
