/*
 * Small uses of the pool. DRIVER chooses one; all of them must hold in every order of the threads.
 */
#include "pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static void *twice(void *argument)
{
    return (void *)((uintptr_t)argument * 2);
}

static void *count(void *counter)
{
    ++*(int *)counter;
    return NULL;
}

#if DRIVER == 1
/* Two workers, two tasks, and who wants to know how far they are. */
int main(void)
{
    struct pool *pool = pool_create(2, 2);
    struct pool_task *task = pool_submit(pool, twice, (void *)21);
    void *result = NULL;
    assert(task != NULL);
    assert(pool_waiting(pool) <= 1);
    assert(pool_wait(task, &result) == POOL_DONE && result == (void *)42);
    pool_destroy(pool, POOL_DRAIN);
    return 0;
}
#elif DRIVER == 2
/* A task is taken back, or not, while a worker may be at it. */
int main(void)
{
    struct pool *pool = pool_create(1, 1);
    struct pool_task *task = pool_submit(pool, twice, (void *)1);
    int cancelled = pool_cancel_task(task);
    void *result = NULL;
    enum pool_state state = pool_wait(task, &result);
    assert(state == (cancelled ? POOL_CANCELLED : POOL_DONE));
    assert(result == (cancelled ? NULL : (void *)2));
    pool_destroy(pool, POOL_DRAIN);
    return 0;
}
#elif DRIVER == 3
/* More tasks than there is room for, from two sides, and the pool is drained. */
static struct pool *pool;
static int counters[2];

static void *submitter(void *counter)
{
    assert(pool_post(pool, count, counter) == 0);
    return NULL;
}

int main(void)
{
    pthread_t other;
    pool = pool_create(1, 1);
    pthread_create(&other, NULL, submitter, &counters[0]);
    submitter(&counters[1]);
    pthread_join(other, NULL);
    pool_destroy(pool, POOL_DRAIN);
    assert(counters[0] == 1 && counters[1] == 1);
    return 0;
}
#elif DRIVER == 4
/* The pool is cancelled with work in it: each task is run or dropped, and who waits is told which. */
int main(void)
{
    int counter = 0, posted = 0;
    struct pool *pool = pool_create(1, 2);
    struct pool_task *task = pool_submit(pool, count, &counter);
    assert(pool_post(pool, count, &posted) == 0);
    pool_destroy(pool, POOL_CANCEL);
    assert((pool_wait(task, NULL) == POOL_DONE) == counter);
    assert(posted <= counter);
    return 0;
}
#elif DRIVER == 5
/* Until there is nothing to do. */
int main(void)
{
    int counter = 0;
    struct pool_statistics statistics;
    struct pool *pool = pool_create(0, 2);
    assert(pool_post(pool, count, &counter) == 0);
    pool_forget(pool_submit_urgent(pool, count, &counter));
    assert(pool_try_submit(pool, count, &counter) == NULL && pool_waiting(pool) == 2);
    pool_grow(pool);
    pool_wait_idle(pool);
    assert(counter == 2);
    statistics = pool_statistics(pool);
    assert(statistics.submitted == 2 && statistics.finished == 2 && statistics.longest == 2);
    pool_destroy(pool, POOL_DRAIN);
    return 0;
}
#else
#error "DRIVER chooses one of the uses"
#endif
