// The same with the thread library's own lock.
#include <assert.h>
#include <pthread.h>

#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *reader(void *argument) {
    pthread_rwlock_rdlock(&lock);
    assert(value >= 0);
    pthread_rwlock_unlock(&lock);
    return argument;
}

static void *writer(void *argument) {
    pthread_rwlock_wrlock(&lock);
    value++;
    pthread_rwlock_unlock(&lock);
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
