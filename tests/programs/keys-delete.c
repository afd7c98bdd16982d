// A key that was given back is given out again; its destructor does not run any more.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>

static int destroyed;

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static void *work(void *unused)
{
    static int one = 1;
    pthread_key_t first, second;
    int old;
    assert(pthread_key_create(&first, destroy) == 0);
    assert(pthread_setspecific(first, &one) == 0);
    assert(pthread_key_delete(first) == 0);
    assert(pthread_key_create(&second, destroy) == 0);
    assert(first == second && pthread_getspecific(second) == NULL);
    assert(pthread_setspecific(second, &one) == 0);
    /* Nobody can cancel here, so this is as good as anything. */
    assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0 && old == PTHREAD_CANCEL_ASYNCHRONOUS);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(destroyed == 1);
    return 0;
}
