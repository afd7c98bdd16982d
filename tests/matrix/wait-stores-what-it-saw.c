// A loop that waits keeps what it has seen in a variable, as queues with a cached index do.
//
// heddle: verdict = safe
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int written;
static int cached, item, looked_at;

static void *consume(void *unused)
{
    while (cached == 0) {
        cached = atomic_load(&written);
        looked_at = 1;
    }
    item++;
    return unused;
}

int main(void)
{
    pthread_t consumer;
    pthread_create(&consumer, NULL, consume, NULL);
    item = 41;
    atomic_store(&written, 1);
    pthread_join(consumer, NULL);
    return item - 42;
}
