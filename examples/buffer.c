// A bounded buffer that polls: two producers, one consumer, room for one item.
//
// A producer asks whether there is room, and puts its item if there was. Both steps are locked, each on its own; in
// between, the other producer can have taken the room. The buffer then holds more than it can.
// (Every thread tries a few times and gives up: a loop without end has executions without end.)
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 320
// heddle: count = 268
#include <assert.h>
#include <pthread.h>
#include <sched.h>

#define ROOM 1
#define TRIES 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[ROOM + 1];
static int count;

static int has_room(void)
{
    pthread_mutex_lock(&lock);
    int room = count < ROOM;
    pthread_mutex_unlock(&lock);
    return room;
}

static void put(int item)
{
    pthread_mutex_lock(&lock);
    assert(count < ROOM); // heddle: here
    items[count++] = item;
    pthread_mutex_unlock(&lock);
}

static void *producer(void *argument)
{
    for (int i = 0; i < TRIES; i++) {
        if (has_room()) {
            put((int)(long)argument);
            break;
        }
        sched_yield();
    }
    return NULL;
}

static void *consumer(void *unused)
{
    for (int i = 0; i < TRIES; i++) {
        pthread_mutex_lock(&lock);
        if (count > 0)
            items[--count] = 0;
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
    return 0;
}
