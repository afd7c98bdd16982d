// The acquire fence comes before the load that it was meant for.
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

int data;
static atomic_int flag;

static void *publish(void *unused)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *consume(void *unused)
{
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
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
