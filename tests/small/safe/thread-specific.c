// Thread-specific data is each thread's own, and starts as null.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_key_t key;
static int values[2];

static void *one(void *unused)
{
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, &values[0]);
    sched_yield();
    assert(pthread_getspecific(key) == &values[0]);
    return unused;
}

static void *two(void *unused)
{
    pthread_setspecific(key, &values[1]);
    sched_yield();
    assert(pthread_getspecific(key) == &values[1]);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_key_create(&key, NULL);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
