// P producers and one consumer with a condition variable; the consumer waits in a loop, or, with IF, does not.
#include <assert.h>
#include <pthread.h>

#ifndef P
#define P 1
#endif
#ifdef IF
#define UNLESS if
#else
#define UNLESS while
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static int items;

static void *producer(void *argument) {
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *consumer(void *argument) {
    for (int i = 0; i < P; i++) {
        pthread_mutex_lock(&mutex);
        UNLESS (items == 0)
            pthread_cond_wait(&full, &mutex);
        assert(items > 0);
        items--;
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

int main(void) {
    pthread_t threads[P + 1];
    for (int i = 0; i < P; i++)
        pthread_create(&threads[i], 0, producer, 0);
    pthread_create(&threads[P], 0, consumer, 0);
    for (int i = 0; i <= P; i++)
        pthread_join(threads[i], 0);
}
