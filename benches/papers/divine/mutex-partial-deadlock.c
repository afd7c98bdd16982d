// Three threads that each lock two mutexes of a circle, beside one that counts for ever and holds none.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutexes[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_int count;

static void *locker(void *argument) {
    int me = (int)(long)argument;
    pthread_mutex_lock(&mutexes[me]);
    pthread_mutex_lock(&mutexes[(me + 1) % 3]);
    pthread_mutex_unlock(&mutexes[(me + 1) % 3]);
    pthread_mutex_unlock(&mutexes[me]);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, locker, (void *)i);
    for (;;) atomic_store(&count, (atomic_load(&count) + 1) % 3);
}
