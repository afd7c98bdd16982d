// A bounded buffer: producers and consumers, condition variables for room and for items.
#include <assert.h>
#include <pthread.h>

#ifndef PAIRS
#define PAIRS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#define ROOM 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_room = PTHREAD_COND_INITIALIZER, has_item = PTHREAD_COND_INITIALIZER;
static int buffer[ROOM], first, count;

static void *producer(void *argument) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == ROOM) pthread_cond_wait(&has_room, &lock);
        buffer[(first + count++) % ROOM] = 7;
        pthread_cond_signal(&has_item);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *consumer(void *argument) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == 0) pthread_cond_wait(&has_item, &lock);
        assert(buffer[first] == 7);
        buffer[first] = 0;
        first = (first + 1) % ROOM;
        count--;
        pthread_cond_signal(&has_room);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t threads[2 * PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        pthread_create(&threads[2 * i], 0, producer, 0);
        pthread_create(&threads[2 * i + 1], 0, consumer, 0);
    }
    for (int i = 0; i < 2 * PAIRS; i++) pthread_join(threads[i], 0);
}
