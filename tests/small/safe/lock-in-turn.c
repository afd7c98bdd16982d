// Two threads lock two mutexes in opposite orders. Who does not get the second gives the first back and waits for the second.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            return;
        pthread_mutex_unlock(first);
        sched_yield();
        pthread_mutex_lock(second);
        if (pthread_mutex_trylock(first) == 0)
            return;
        pthread_mutex_unlock(second);
        sched_yield();
    }
}

static void *add(void *in_order)
{
    lock_both(in_order ? &a : &b, in_order ? &b : &a);
    count++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, add, &count);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(count == 2);
    return 0;
}
