// One producer, one consumer, a ring, no lock: both wait in loops that only look, right after they have used plain memory.
//
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int ring[2];
static atomic_uint head, tail;

static void *produce(void *unused)
{
    for (int i = 1; i <= 3; i++) {
        while (head - tail == 2)
            ;
        ring[head % 2] = i;
        head++;
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 1; i <= 3; i++) {
        while (head == tail)
            ;
        assert(ring[tail % 2] == i);
        tail++;
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, consume, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
