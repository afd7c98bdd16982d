// P producers and C consumers of one item each, with semaphores for free and for full places and a mutex for the buffer. With
// DEADLOCK they take the mutex before they wait for the semaphore.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef P
#define P 1
#endif
#ifndef C
#define C 1
#endif
#define PLACES 1

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t space, items;
static int buffer;

static void take(sem_t *semaphore) {
#ifdef DEADLOCK
    pthread_mutex_lock(&mutex);
    sem_wait(semaphore);
#else
    sem_wait(semaphore);
    pthread_mutex_lock(&mutex);
#endif
}

static void *producer(void *argument) {
    take(&space);
    buffer++;
    pthread_mutex_unlock(&mutex);
    sem_post(&items);
    return argument;
}

static void *consumer(void *argument) {
    take(&items);
    buffer--;
    pthread_mutex_unlock(&mutex);
    sem_post(&space);
    return argument;
}

int main(void) {
    pthread_t threads[P + C];
    sem_init(&space, 0, PLACES);
    sem_init(&items, 0, 0);
    for (int i = 0; i < P; i++)
        pthread_create(&threads[i], 0, producer, 0);
    for (int i = 0; i < C; i++)
        pthread_create(&threads[P + i], 0, consumer, 0);
    for (int i = 0; i < P + C; i++)
        pthread_join(threads[i], 0);
}
