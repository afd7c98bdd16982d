// Everything that tries can fail for no reason, each in an execution of its own, beside the one in which nothing does: a mutex, one
// of <threads.h>, a reader, a writer, a spin lock. Those that wait do not.
// heddle: verdict = safe
// heddle: flags = --spurious-failures 1
// heddle: executions = 6
#include <assert.h>
#include <pthread.h>
#include <threads.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static mtx_t plain;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;

int main(void) {
    int failed = 0;
    mtx_init(&plain, mtx_plain);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    if (pthread_mutex_trylock(&mutex) == 0)
        pthread_mutex_unlock(&mutex);
    else
        failed++;
    if (mtx_trylock(&plain) == thrd_success)
        mtx_unlock(&plain);
    else
        failed++;
    if (pthread_rwlock_tryrdlock(&lock) == 0)
        pthread_rwlock_unlock(&lock);
    else
        failed++;
    if (pthread_rwlock_trywrlock(&lock) == 0)
        pthread_rwlock_unlock(&lock);
    else
        failed++;
    if (pthread_spin_trylock(&spin) == 0)
        pthread_spin_unlock(&spin);
    else
        failed++;
    assert(failed <= 1);
    pthread_spin_destroy(&spin);
    mtx_destroy(&plain);
}
