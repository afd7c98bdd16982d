// Half of a value is released, and all of it acquired.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data;
static union { atomic_uint half[2]; atomic_ullong whole; } flag;

static void *publish(void *unused)
{
    data = 1;
    atomic_store_explicit(&flag.half[0], 1, memory_order_release);
    return unused;
}

static void *consume(void *unused)
{
    if (atomic_load_explicit(&flag.whole, memory_order_acquire) == 1)
        assert(data == 1);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, publish, NULL);
    pthread_create(&threads[1], NULL, consume, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
