// How a thread asks to be scheduled can be read back by others.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_t first;

static void *one(void *unused)
{
    struct sched_param none = { 0 };
    pthread_setschedparam(first, SCHED_BATCH, &none);
    return unused;
}

static void *two(void *unused)
{
    int policy;
    struct sched_param parameters;
    pthread_getschedparam(first, &policy, &parameters);
    assert(policy == SCHED_OTHER);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    first = pthread_self();
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
