// One place in memory is a semaphore, then a mutex, then a barrier, a spin lock, a control of one initialisation and a read-write lock.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static union {
    sem_t semaphore;
    pthread_mutex_t mutex;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    pthread_once_t once;
    pthread_rwlock_t rwlock;
} place;
static int runs;
static void initialise(void) { runs++; }

static void *worker(void *argument) {
    for (int i = 0; i < 2; i++) {
        sem_init(&place.semaphore, 0, 3);
        sem_wait(&place.semaphore);
        sem_destroy(&place.semaphore);
        memset(&place, 0, sizeof place);
        pthread_mutex_lock(&place.mutex);
        pthread_mutex_unlock(&place.mutex);
        pthread_barrier_init(&place.barrier, 0, 1);
        pthread_barrier_wait(&place.barrier);
        pthread_barrier_destroy(&place.barrier);
        pthread_spin_init(&place.spin, 0);
        pthread_spin_lock(&place.spin);
        pthread_spin_unlock(&place.spin);
        pthread_spin_destroy(&place.spin);
        memset(&place, 0, sizeof place);
        pthread_once(&place.once, initialise);
        memset(&place, 0, sizeof place);
        pthread_rwlock_wrlock(&place.rwlock);
        pthread_rwlock_unlock(&place.rwlock);
        memset(&place, 0, sizeof place);
    }
    assert(runs == 2);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
}
