// Three lockers in a circle, beside a thread that counts for ever.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_int ticks;
static void *locker(void *argument) {
    int one = (int)(long)argument, other = (one + 1) % 3;
    for (;;) {
        pthread_mutex_lock(&locks[one]);
        pthread_mutex_lock(&locks[other]);
        pthread_mutex_unlock(&locks[other]);
        pthread_mutex_unlock(&locks[one]);
    }
}
int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, locker, (void *)i);
    for (;;) atomic_store(&ticks, 1 - atomic_load(&ticks));
}
