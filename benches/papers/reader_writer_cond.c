// READERS and WRITERS of a lock made of a mutex and a condition variable; each comes in once. PREFER: 0 nobody, 1 readers,
// 2 writers. (The paper's lock for many readers and two writers is this one with one reader and two writers.)
#include <assert.h>
#include <pthread.h>

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef PREFER
#define PREFER 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int reading, writing, readers_waiting, writers_waiting, value;

static void *reader(void *argument) {
    pthread_mutex_lock(&mutex);
    readers_waiting++;
    while (writing || (PREFER == 2 && writers_waiting))
        pthread_cond_wait(&changed, &mutex);
    readers_waiting--;
    reading++;
    pthread_mutex_unlock(&mutex);
    assert(value >= 0);
    pthread_mutex_lock(&mutex);
    if (--reading == 0)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *writer(void *argument) {
    pthread_mutex_lock(&mutex);
    writers_waiting++;
    while (writing || reading || (PREFER == 1 && readers_waiting))
        pthread_cond_wait(&changed, &mutex);
    writers_waiting--;
    writing = 1;
    pthread_mutex_unlock(&mutex);
    value++;
    pthread_mutex_lock(&mutex);
    writing = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t threads[READERS + WRITERS];
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], 0, reader, 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&threads[READERS + i], 0, writer, 0);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_join(threads[i], 0);
    assert(value == WRITERS);
}
