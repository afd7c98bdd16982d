// Two threads that take two locks by trying, for ever, and say when they have both.
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *taker(void *argument) {
    pthread_mutex_t *one = argument ? &b : &a, *other = argument ? &a : &b;
#ifndef BAD
    one = &a;
    other = &b;
#endif
    for (;;) {
        pthread_mutex_lock(one);
        if (pthread_mutex_trylock(other) == 0) {
            heddle_progress();
            pthread_mutex_unlock(other);
        }
        pthread_mutex_unlock(one);
    }
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, taker, &thread);
    taker(0);
}
