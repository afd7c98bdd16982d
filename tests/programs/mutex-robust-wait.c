// A robust mutex whose owner ends while another thread waits on a condition variable with it: that one is told when it wakes up.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, told;

static void *dies(void *unused)
{
    int error = pthread_mutex_lock(&lock);
    assert(error == 0);
    ready = 1;
    pthread_cond_signal(&changed);
    return unused;
}

static void *waits(void *unused)
{
    int error = pthread_mutex_lock(&lock);
    while (error == 0 && !ready)
        error = pthread_cond_wait(&changed, &lock);
    assert(ready);
    if (error == EOWNERDEAD) {
        told++;
        assert(pthread_mutex_consistent(&lock) == 0);
    } else {
        assert(error == 0);
    }
    assert(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&one, NULL, dies, NULL);
    pthread_create(&two, NULL, waits, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(told == 1);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    return 0;
}
