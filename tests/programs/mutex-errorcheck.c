// An error-checking mutex says what a normal one suffers in silence.
//
// heddle: verdict = safe
// heddle: executions = 4
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t other;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *work(void *unused)
{
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(pthread_cond_wait(&condition, &other) == EPERM);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    assert(pthread_mutex_trylock(&lock) == EBUSY);
    assert(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&other, &attributes);
    pthread_mutex_lock(&adaptive);
    pthread_mutex_unlock(&adaptive);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    pthread_join(thread, NULL);
    return 0;
}
