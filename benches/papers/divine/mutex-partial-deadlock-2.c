// Four threads that lock two of three mutexes for ever and change one sum under both. Only the last can close a circle, with one or two of the others.
// Main counts beside them.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutexes[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static const int pairs[4][2] = {{0, 1}, {1, 2}, {0, 2}, {2, 0}};
static int sum; // Any two pairs have a mutex in common.
static atomic_int beside;

static void *locker(void *argument) {
    const int *pair = pairs[(long)argument];
    for (;;) {
        pthread_mutex_lock(&mutexes[pair[0]]);
        pthread_mutex_lock(&mutexes[pair[1]]);
        sum = (sum + 1) % 3;
        pthread_mutex_unlock(&mutexes[pair[1]]);
        pthread_mutex_unlock(&mutexes[pair[0]]);
    }
}

int main(void) {
    pthread_t threads[4];
    for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, locker, (void *)i);
    for (;;) atomic_store(&beside, (atomic_load(&beside) + 1) % 3);
}
