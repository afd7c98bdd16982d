// A lock for many readers or one writer, made of a mutex and a condition variable, taken for ever by two readers and a writer. With BAD nobody
// tells the writer that the last reader has left: it waits for ever while the readers go on.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writers;
static void *reader(void *argument) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (writers) pthread_cond_wait(&changed, &mutex);
        readers++;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        assert(!writers);
        readers--;
#ifndef BAD
        pthread_cond_broadcast(&changed);
#endif
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, reader, 0);
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (readers || writers) pthread_cond_wait(&changed, &mutex);
        writers = 1;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        assert(!readers);
        writers = 0;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
}
