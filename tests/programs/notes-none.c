// Everything that was made is destroyed, everybody is waited for: there is nothing to note.
// heddle: verdict = safe
// heddle: notes = none
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t zeroed, made; // Zeros are what the static initialiser is with glibc.
static pthread_cond_t condition;
static pthread_rwlock_t shared;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_spinlock_t early_spin;
static sem_t early_sem;
static int ready;

__attribute__((constructor)) static void early(void) {
    pthread_spin_init(&early_spin, 0);
    sem_init(&early_sem, 0, 0);
}

static void at_exit(void) { pthread_mutex_destroy(&made); }

static void nothing(void) {}

static void *worker(void *unused) {
    pthread_barrier_wait(&barrier);
    pthread_once(&once, nothing);
    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_unlock(&shared);
    pthread_rwlock_unlock(&shared);
    pthread_mutex_lock(&zeroed);
    while (!ready)
        pthread_cond_wait(&condition, &zeroed);
    pthread_mutex_unlock(&zeroed);
    pthread_spin_lock(&early_spin);
    pthread_spin_unlock(&early_spin);
    sem_post(&early_sem);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_t *heap = malloc(sizeof *heap);
    sem_init(heap, 0, 1);
    sem_wait(heap);
    sem_destroy(heap);
    free(heap);
    pthread_mutex_init(&made, 0);
    atexit(at_exit);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, worker, 0);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&zeroed);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&zeroed);
    sem_wait(&early_sem);
    pthread_join(thread, 0);
    pthread_barrier_destroy(&barrier);
    return 0;
}
