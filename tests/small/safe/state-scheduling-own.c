// How a thread asks to be scheduled is its own business.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static void *one(void *unused)
{
    struct sched_param none = { 0 };
    sched_setscheduler(0, SCHED_BATCH, &none);
    assert(sched_getscheduler(0) == SCHED_BATCH);
    return unused;
}

static void *two(void *unused)
{
    assert(sched_getscheduler(0) == SCHED_OTHER);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
