/*
 * A pool of threads with a bounded queue.
 *
 * Tasks are submitted and run by the first worker that is free, in the order in which they came (urgent ones first). Who submits
 * a task gets a handle to wait for its result with; who does not want it says so and never hears of the task again. A
 * pool can be drained (everything that was submitted is run) or cancelled (what has not begun is dropped), it can be waited for
 * until it has nothing to do, and it can be given more workers while it works.
 *
 * POOL_BUG chooses one of the mistakes that are marked in pool.c; 0, the default, is none of them.
 */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

#ifndef POOL_BUG
#define POOL_BUG 0
#endif

/* For the preprocessor, so no enumeration. */
#define POOL_BUG_NONE 0
/* A counter is read without the lock: data race. */
#define POOL_BUG_RACE 1
/* Two locks are taken in two orders: deadlock. */
#define POOL_BUG_LOCK_ORDER 2
/* One worker is woken where all have to be: some sleep for ever. */
#define POOL_BUG_LOST_WAKEUP 3
/* A task is freed by the worker though somebody waits for it: use after free. */
#define POOL_BUG_FREED 4
/* Whoever wakes up takes for granted that there is a task: assertion. */
#define POOL_BUG_IF_NOT_WHILE 5
/* What is dropped is not freed: leak. */
#define POOL_BUG_LEAK 6

enum pool_state { POOL_WAITING, POOL_RUNNING, POOL_DONE, POOL_CANCELLED };

enum pool_end {
    /* Run what was submitted. */
    POOL_DRAIN,
    /* Drop what has not begun. */
    POOL_CANCEL,
};

typedef void *pool_function(void *argument);

struct pool;
struct pool_task;

struct pool_statistics {
    unsigned long submitted;
    unsigned long finished;
    unsigned long cancelled;
    /* The longest that the queue has been. */
    size_t longest;
};

/* A pool with so many workers, whose queue has room for so many tasks. Null if there is no memory. */
struct pool *pool_create(unsigned workers, size_t capacity);

/* One more worker. 0, or an error number. */
int pool_grow(struct pool *pool);

/* A task for the pool; waits while there is no room. Null if the pool is being shut down, or if there is no memory. */
struct pool_task *pool_submit(struct pool *pool, pool_function *function, void *argument);

/* The same, before everything that waits. */
struct pool_task *pool_submit_urgent(struct pool *pool, pool_function *function, void *argument);

/* The same without waiting: null if there is no room. */
struct pool_task *pool_try_submit(struct pool *pool, pool_function *function, void *argument);

/* The same for who does not want to hear of the task again. 0, or an error number. */
int pool_post(struct pool *pool, pool_function *function, void *argument);

/* Waits for the end of a task. Returns how it ended, and its result through `result` if that is not null. The handle is gone. */
enum pool_state pool_wait(struct pool_task *task, void **result);

/* Lets a task run without waiting for it. The handle is gone. */
void pool_forget(struct pool_task *task);

/* Takes a task out of the queue. 1 if it had not begun: it will not. */
int pool_cancel_task(struct pool_task *task);

/* Waits until there is nothing to do. */
void pool_wait_idle(struct pool *pool);

/* How many tasks wait in the queue just now. */
size_t pool_waiting(struct pool *pool);

/* What the pool has done so far. */
struct pool_statistics pool_statistics(struct pool *pool);

/* Ends the workers and frees the pool. Handles that are still held stay good. */
void pool_destroy(struct pool *pool, enum pool_end how);

#endif
