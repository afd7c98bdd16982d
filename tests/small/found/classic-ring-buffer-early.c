// A ring whose producer moves its index before it has written.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

int ring[2];
static atomic_uint head, tail;

static void *produce(void *unused)
{
    unsigned at = head++;
    ring[at % 2] = 1;
    return unused;
}

static void *consume(void *unused)
{
    while (head == tail)
        ;
    assert(ring[0] < 2);
    tail++;
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
