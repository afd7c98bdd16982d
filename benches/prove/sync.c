// One thread fills a place, the other empties it: each waits for its condition. With -DBAD the second waits for nothing.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 2
#endif
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
int full;
void *fill(void *argument) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        while (full)
            pthread_cond_wait(&emptied, &lock);
        full++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
void *empty(void *argument) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
#ifndef BAD
        while (!full)
            pthread_cond_wait(&filled, &lock);
#endif
        assert(full == 1);
        full--;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, fill, 0);
    pthread_create(&b, 0, empty, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(full == 0);
}
