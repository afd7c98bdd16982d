// Two threads that take two locks by trying, politely: each gives its own back if it does not get the other.
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
#ifdef ENDLESS
#define AGAIN 1
#else
#define AGAIN 0
#endif
static void both(pthread_mutex_t *one, pthread_mutex_t *other) {
    for (;;) {
        pthread_mutex_lock(one);
        if (pthread_mutex_trylock(other) == 0) break;
        pthread_mutex_unlock(one);
    }
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}
static void *second(void *argument) {
    do both(&b, &a);
    while (AGAIN);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, second, 0);
    do both(&a, &b);
    while (AGAIN);
    pthread_join(thread, 0);
}
