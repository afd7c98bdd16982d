// Readers and writers that come in in the order in which they asked: everybody stands in one queue, the first of which lets the next one
// move up when it is in.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t queue, room;
static int reading, value;

static void *reader(void *argument) {
    sem_wait(&queue);
    pthread_mutex_lock(&mutex);
    if (++reading == 1)
        sem_wait(&room);
    pthread_mutex_unlock(&mutex);
    sem_post(&queue);
    assert(value >= 0);
    pthread_mutex_lock(&mutex);
    if (--reading == 0)
        sem_post(&room);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *writer(void *argument) {
    sem_wait(&queue);
    sem_wait(&room);
    sem_post(&queue);
    value++;
    sem_post(&room);
    return argument;
}

int main(void) {
    pthread_t threads[READERS + WRITERS];
    sem_init(&queue, 0, 1);
    sem_init(&room, 0, 1);
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], 0, reader, 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&threads[READERS + i], 0, writer, 0);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_join(threads[i], 0);
    assert(value == WRITERS);
}
