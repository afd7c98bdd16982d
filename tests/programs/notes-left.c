// Nothing here is wrong, and a lot is left behind when the process ends.
// heddle: verdict = safe
// heddle: notes = left-locked left-locked never-destroyed never-destroyed zero-initialised zero-initialised still-running detached-running
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t global, initialised = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t zero, before;

__attribute__((constructor)) static void early(void) { sem_init(&before, 0, 0); }

static void *alone(void *unused) {
    sem_post(&before); // Made before main: no note.
    sem_post(&zero); // heddle: note
    return unused;
}

static void *worker(void *unused) {
    pthread_mutex_lock(&initialised); // Unlocked by who might still do it: no note.
    pthread_mutex_unlock(&initialised);
    return unused;
}

static void *reader(void *unused) {
    pthread_rwlock_rdlock(&shared); // heddle: note
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_t *heap = malloc(sizeof *heap);
    pthread_mutex_init(heap, 0); // heddle: note
    pthread_mutex_init(&global, 0); // heddle: note
    pthread_create(&thread, 0, alone, 0); // heddle: note
    pthread_detach(thread);
    pthread_create(&thread, 0, reader, 0);
    pthread_join(thread, 0);
    pthread_spin_lock(&spin); // heddle: note
    pthread_spin_unlock(&spin);
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&global); // heddle: note
    free(heap);
    exit(0); // heddle: note
}
