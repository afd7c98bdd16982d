// A queue whose length is looked at without its lock.
//
// Putting and taking are locked. The consumer first looks whether there is anything, to save itself the lock; nothing orders
// that look with the producer's write. The fix looks under the lock.
// heddle: verdict = found
// heddle: kind = data-race
// heddle: executions = 2
#include <pthread.h>

#define ROOM 4

struct queue {
    pthread_mutex_t lock;
    int items[ROOM];
    int length;
};

static struct queue queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void put(struct queue *q, int item)
{
    pthread_mutex_lock(&q->lock);
    if (q->length < ROOM)
        q->items[q->length++] = item; // heddle: here
    pthread_mutex_unlock(&q->lock);
}

static int take(struct queue *q)
{
    int item = -1;
    if (q->length == 0) // heddle: here
        return item;
    pthread_mutex_lock(&q->lock);
    if (q->length > 0)
        item = q->items[--q->length];
    pthread_mutex_unlock(&q->lock);
    return item;
}

static void *produce(void *unused)
{
    put(&queue, 1);
    return unused;
}

static void *consume(void *unused)
{
    take(&queue);
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
