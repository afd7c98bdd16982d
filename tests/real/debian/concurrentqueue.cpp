// A small use of moodycamel's ConcurrentQueue: one thread adds, the other takes, with -DTWO adds as well, and takes what is left.
#include <cassert>
#include <pthread.h>

#include "concurrentqueue.h"

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
    static const size_t BLOCK_SIZE = 2;
    static const size_t EXPLICIT_INITIAL_INDEX_SIZE = 2;
    static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
    static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 2;
};
using Queue = moodycamel::ConcurrentQueue<int, Small>;

static void *add(void *queue)
{
    assert(static_cast<Queue *>(queue)->enqueue(1));
    return nullptr;
}

int main()
{
    Queue queue(4);
    pthread_t thread;
    pthread_create(&thread, nullptr, add, &queue);
    int added = 1, taken = 0, value;
    if (queue.try_dequeue(value)) {
        assert(value == 1);
        taken++;
    }
#ifdef TWO
    assert(queue.enqueue(2));
    added++;
#endif
    pthread_join(thread, nullptr);
    while (queue.try_dequeue(value))
        taken++;
    assert(taken == added);
}
