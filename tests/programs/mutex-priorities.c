// Priorities of mutexes are taken note of and not followed.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, lock;
    int ceiling;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT) == 0);
    assert(pthread_mutexattr_setprioceiling(&attributes, 10) == 0);
    assert(pthread_mutex_init(&lock, &attributes) == 0);
    assert(pthread_mutex_getprioceiling(&plain, &ceiling) == EINVAL);
    assert(pthread_mutex_getprioceiling(&lock, &ceiling) == 0 && ceiling == 10);
    assert(pthread_mutex_setprioceiling(&lock, 20, &ceiling) == 0 && ceiling == 10);
    assert(pthread_mutex_getprioceiling(&lock, &ceiling) == 0 && ceiling == 20);
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_destroy(&lock) == 0);
    return 0;
}
