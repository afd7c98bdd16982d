// Deadlines that are none, deadlines that are past, and clocks that nobody can wait by.
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, checking;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    sem_t semaphore;
    const struct timespec past = { 1, 0 }, before = { -1, 0 }, wrong = { 2000000000, 1000000000 }, negative = { 2000000000, -1 };
    sem_init(&semaphore, 0, 0);

    // A mutex that is free is locked, whatever the time says; one that is not makes it look.
    assert(pthread_mutex_timedlock(&mutex, &wrong) == 0);
    assert(pthread_mutex_timedlock(&mutex, &wrong) == EINVAL);
    assert(pthread_mutex_timedlock(&mutex, &negative) == EINVAL);
    assert(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(&mutex, &before) == ETIMEDOUT);
    assert(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);

    assert(pthread_cond_timedwait(&condition, &mutex, &wrong) == EINVAL);
    assert(pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
    assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    assert(pthread_cond_clockwait(&condition, &mutex, 99, &past) == EINVAL);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);

    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &kind);
    pthread_mutex_lock(&checking);
    assert(pthread_mutex_timedlock(&checking, &past) == EDEADLK);
    pthread_mutex_unlock(&checking);

    assert(pthread_rwlock_timedrdlock(&lock, &wrong) == EINVAL);
    assert(pthread_rwlock_timedrdlock(&lock, &past) == 0);
    assert(pthread_rwlock_timedrdlock(&lock, &past) == 0);
    assert(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_timedwrlock(&lock, &past) == 0);
    assert(pthread_rwlock_timedwrlock(&lock, &past) == EDEADLK);
    assert(pthread_rwlock_timedrdlock(&lock, &past) == EDEADLK);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &past) == EDEADLK);
    pthread_rwlock_unlock(&lock);

    assert(sem_timedwait(&semaphore, &wrong) == -1 && errno == EINVAL);
    assert(sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT);
    assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &past) == -1 && errno == ETIMEDOUT);
    sem_post(&semaphore);
    assert(sem_timedwait(&semaphore, &past) == 0);
}
