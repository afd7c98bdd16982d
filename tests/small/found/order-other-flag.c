// Two flags: what is released by one is not acquired by the other.
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

int data;
struct { atomic_char one, two; } flag;

static void *publish(void *unused)
{
    data = 1;
    atomic_store_explicit(&flag.one, 1, memory_order_release);
    return unused;
}

static void *consume(void *unused)
{
    if (atomic_load_explicit(&flag.one, memory_order_relaxed) == 1 && atomic_load_explicit(&flag.two, memory_order_acquire) == 0)
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
