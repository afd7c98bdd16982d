// What can be had of a reader-writer lock at once, and what the writer gets if it asks again.
//
// heddle: verdict = safe
// heddle: executions = 3
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *try(void *unused)
{
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        assert(value % 2 == 0);
        assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, try, NULL);
    pthread_rwlock_wrlock(&lock);
    assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    value++;
    value++;
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    return 0;
}
