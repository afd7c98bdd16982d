// Data is published by a relaxed store: in every order that is run here the reader sees it, but nothing orders the two accesses.
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

int data;
static atomic_int ready;

static void *publish(void *unused)
{
    data = 1; // heddle: here
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    if (atomic_load_explicit(&ready, memory_order_acquire)) {
        int seen = data; // heddle: here
        assert(seen == 1);
    }
    pthread_join(thread, NULL);
    return 0;
}
