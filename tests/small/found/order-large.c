// An atomic of an odd size, which is libatomic's business: relaxed, it orders nothing.
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct large {
    long words[3];
};

int data;
static _Atomic(struct large) flag;

static void *publish(void *unused)
{
    data = 1;
    struct large value = {{1, 2, 3}};
    atomic_store_explicit(&flag, value, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    struct large seen = atomic_load_explicit(&flag, memory_order_relaxed);
    if (seen.words[2] == 3)
        assert(data == 1);
    pthread_join(thread, NULL);
    return 0;
}
