// Calls that must fail, and do: a stack too small, a join of a detached thread, a busy mutex.
//
// heddle: verdict = safe
// heddle: flags = --misuse off
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, 16) == EINVAL);
    pthread_attr_destroy(&attributes);
    pthread_create(&thread, NULL, work, NULL);
    assert(pthread_equal(pthread_self(), pthread_self()));
    assert(!pthread_equal(pthread_self(), thread));
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    assert(pthread_mutex_trylock(&lock) == EBUSY);
    assert(pthread_mutex_destroy(&lock) == EBUSY);
    pthread_mutex_unlock(&lock);
    assert(pthread_mutex_destroy(&lock) == 0);
    return 0;
}
