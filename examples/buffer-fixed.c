// A bounded buffer that polls: two producers, one consumer, room for one item.
//
// The same as buffer.c, but asking for room and putting the item are one critical section. Nothing overflows, and
// at the end every item was taken, is still there, or was never put because its producer gave up.
//
// heddle: verdict = safe
// heddle: executions = 18
#include <assert.h>
#include <pthread.h>
#include <sched.h>

#define ROOM 1
#define TRIES 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[ROOM + 1];
static int count, produced, consumed;

static int put(int item)
{
    pthread_mutex_lock(&lock);
    int room = count < ROOM;
    if (room) {
        items[count++] = item;
        produced++;
    }
    assert(count <= ROOM);
    pthread_mutex_unlock(&lock);
    return room;
}

static void *producer(void *argument)
{
    for (int i = 0; i < TRIES && !put((int)(long)argument); i++)
        sched_yield();
    return NULL;
}

static void *consumer(void *unused)
{
    for (int i = 0; i < TRIES; i++) {
        pthread_mutex_lock(&lock);
        if (count > 0) {
            items[--count] = 0;
            consumed++;
        }
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, producer, (void *)1L);
    pthread_create(&threads[1], NULL, producer, (void *)2L);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(produced == consumed + count);
    return 0;
}
