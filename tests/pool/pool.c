/*
 * A pool of threads with a bounded queue: see pool.h.
 *
 * Two kinds of locks. The pool's protects the queue, the counters and the list of workers; a task's protects its state and how many
 * hold it. Who needs both takes the pool's first. A task is held by the pool as long as it is queued or runs, and by whoever
 * has its handle; the last one frees it.
 */
#include "pool.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct pool_task {
    struct pool_task *next;
    struct pool *pool;
    pool_function *function;
    void *argument;
    void *result;

    pthread_mutex_t lock;
    pthread_cond_t ended;
    enum pool_state state;
    /* The pool, and who has the handle. */
    unsigned holders;
};

struct worker {
    struct worker *next;
    struct pool *pool;
    pthread_t thread;
};

struct pool {
    pthread_mutex_t lock;
    /* There is a task, or the end has come. */
    pthread_cond_t work;
    /* There is room in the queue, or the end has come. */
    pthread_cond_t room;
    /* Nothing is queued, and nothing runs. */
    pthread_cond_t idle;

    struct pool_task *first;
    struct pool_task **last;
    size_t length;
    size_t capacity;

    struct worker *workers;
    unsigned running;
    int ending;

    struct pool_statistics statistics;
};

/* ---------------------------------------------------------------------------------------------------------------- tasks */

static struct pool_task *task_create(struct pool *pool, pool_function *function, void *argument, unsigned holders)
{
    struct pool_task *task = malloc(sizeof *task);
    if (task == NULL)
        return NULL;
    task->next = NULL;
    task->pool = pool;
    task->function = function;
    task->argument = argument;
    task->result = NULL;
    task->state = POOL_WAITING;
    task->holders = holders;
    pthread_mutex_init(&task->lock, NULL);
    pthread_cond_init(&task->ended, NULL);
    return task;
}

static void task_free(struct pool_task *task)
{
    pthread_cond_destroy(&task->ended);
    pthread_mutex_destroy(&task->lock);
    free(task);
}

/* One holder less. Called with the task's lock, returns without it. */
static void task_release(struct pool_task *task)
{
    unsigned left = --task->holders;
    pthread_mutex_unlock(&task->lock);
    if (left == 0)
        task_free(task);
}

/* The pool is through with a task. */
static void task_end(struct pool_task *task, enum pool_state state, void *result)
{
    pthread_mutex_lock(&task->lock);
    task->state = state;
    task->result = result;
    pthread_cond_broadcast(&task->ended);
#if POOL_BUG == POOL_BUG_FREED
    /* Wrong: somebody may be about to look at it. */
    task->holders = 0;
    pthread_mutex_unlock(&task->lock);
    task_free(task);
#else
    task_release(task);
#endif
}

enum pool_state pool_wait(struct pool_task *task, void **result)
{
    enum pool_state state;
    pthread_mutex_lock(&task->lock);
    while (task->state == POOL_WAITING || task->state == POOL_RUNNING)
        pthread_cond_wait(&task->ended, &task->lock);
    state = task->state;
    if (result != NULL)
        *result = task->result;
    task_release(task);
    return state;
}

void pool_forget(struct pool_task *task)
{
    pthread_mutex_lock(&task->lock);
    task_release(task);
}

/* ---------------------------------------------------------------------------------------------------------------- queue */

/* All of these are called with the pool's lock. */

static void queue_append(struct pool *pool, struct pool_task *task)
{
    *pool->last = task;
    pool->last = &task->next;
    pool->length++;
}

static void queue_prepend(struct pool *pool, struct pool_task *task)
{
    task->next = pool->first;
    if (pool->first == NULL)
        pool->last = &task->next;
    pool->first = task;
    pool->length++;
}

static struct pool_task *queue_take(struct pool *pool)
{
    struct pool_task *task = pool->first;
    assert(task != NULL);
    pool->first = task->next;
    if (pool->first == NULL)
        pool->last = &pool->first;
    task->next = NULL;
    pool->length--;
    return task;
}

/* Takes out one task wherever it is. 0 if it is not there. */
static int queue_remove(struct pool *pool, struct pool_task *wanted)
{
    struct pool_task **at;
    for (at = &pool->first; *at != NULL; at = &(*at)->next) {
        if (*at != wanted)
            continue;
        *at = wanted->next;
        if (pool->last == &wanted->next)
            pool->last = at;
        wanted->next = NULL;
        pool->length--;
        return 1;
    }
    return 0;
}

static int is_idle(const struct pool *pool)
{
    return pool->length == 0 && pool->running == 0;
}

/* -------------------------------------------------------------------------------------------------------------- workers */

/* The next task, which counts as running from here; null when the worker is to go. Called with the pool's lock. */
static struct pool_task *next_task(struct pool *pool)
{
#if POOL_BUG == POOL_BUG_IF_NOT_WHILE
    /* Wrong: another worker may have been faster. */
    if (pool->length == 0 && !pool->ending)
        pthread_cond_wait(&pool->work, &pool->lock);
    if (pool->ending && pool->length == 0)
        return NULL;
#else
    while (pool->length == 0) {
        if (pool->ending)
            return NULL;
        pthread_cond_wait(&pool->work, &pool->lock);
    }
#endif
    struct pool_task *task = queue_take(pool);
    pthread_mutex_lock(&task->lock);
    task->state = POOL_RUNNING;
    pthread_mutex_unlock(&task->lock);
    pool->running++;
    pthread_cond_signal(&pool->room);
    return task;
}

static void run_task(struct pool_task *task)
{
    task_end(task, POOL_DONE, task->function(task->argument));
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    struct pool_task *task;

    pthread_mutex_lock(&pool->lock);
    while ((task = next_task(pool)) != NULL) {
        pthread_mutex_unlock(&pool->lock);
        run_task(task);
        pthread_mutex_lock(&pool->lock);
        pool->running--;
        pool->statistics.finished++;
        if (is_idle(pool))
            pthread_cond_broadcast(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

int pool_grow(struct pool *pool)
{
    int error;
    struct worker *worker = malloc(sizeof *worker);
    if (worker == NULL)
        return ENOMEM;
    worker->pool = pool;
    pthread_mutex_lock(&pool->lock);
    error = pthread_create(&worker->thread, NULL, work, worker);
    if (error == 0) {
        worker->next = pool->workers;
        pool->workers = worker;
    }
    pthread_mutex_unlock(&pool->lock);
    if (error != 0)
        free(worker);
    return error;
}

/* ----------------------------------------------------------------------------------------------------------- submitting */

enum { URGENT = 1, NO_WAIT = 2 };

static struct pool_task *submit(struct pool *pool, pool_function *function, void *argument, unsigned holders, int how)
{
    struct pool_task *task = task_create(pool, function, argument, holders);
    if (task == NULL)
        return NULL;
    pthread_mutex_lock(&pool->lock);
    while (pool->length >= pool->capacity && !pool->ending && !(how & NO_WAIT))
        pthread_cond_wait(&pool->room, &pool->lock);
    if (pool->ending || pool->length >= pool->capacity) {
        pthread_mutex_unlock(&pool->lock);
        task_free(task);
        return NULL;
    }
    if (how & URGENT)
        queue_prepend(pool, task);
    else
        queue_append(pool, task);
    pool->statistics.submitted++;
    if (pool->length > pool->statistics.longest)
        pool->statistics.longest = pool->length;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    return task;
}

struct pool_task *pool_submit(struct pool *pool, pool_function *function, void *argument)
{
    return submit(pool, function, argument, 2, 0);
}

struct pool_task *pool_submit_urgent(struct pool *pool, pool_function *function, void *argument)
{
    return submit(pool, function, argument, 2, URGENT);
}

struct pool_task *pool_try_submit(struct pool *pool, pool_function *function, void *argument)
{
    return submit(pool, function, argument, 2, NO_WAIT);
}

int pool_post(struct pool *pool, pool_function *function, void *argument)
{
    return submit(pool, function, argument, 1, 0) == NULL ? EAGAIN : 0;
}

/* ------------------------------------------------------------------------------------------------------------ cancelling */

int pool_cancel_task(struct pool_task *task)
{
    struct pool *pool = task->pool;
    int removed;
#if POOL_BUG == POOL_BUG_LOCK_ORDER
    /* Wrong: the pool's lock comes first everywhere else. */
    pthread_mutex_lock(&task->lock);
    pthread_mutex_lock(&pool->lock);
    removed = task->state == POOL_WAITING && queue_remove(pool, task);
    pthread_mutex_unlock(&task->lock);
#else
    pthread_mutex_lock(&pool->lock);
    removed = queue_remove(pool, task);
#endif
    if (removed) {
        pool->statistics.cancelled++;
        pthread_cond_signal(&pool->room);
        if (is_idle(pool))
            pthread_cond_broadcast(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    if (removed)
        task_end(task, POOL_CANCELLED, NULL);
    return removed;
}

/* Drops everything that waits. Called with the pool's lock; the pool's comes before a task's. */
static void cancel_all(struct pool *pool)
{
    while (pool->length > 0) {
        struct pool_task *task = queue_take(pool);
        pool->statistics.cancelled++;
#if POOL_BUG == POOL_BUG_LEAK
        /* Wrong: who waits is told, but nobody gives up the pool's share. */
        pthread_mutex_lock(&task->lock);
        task->state = POOL_CANCELLED;
        pthread_cond_broadcast(&task->ended);
        pthread_mutex_unlock(&task->lock);
#else
        task_end(task, POOL_CANCELLED, NULL);
#endif
    }
}

/* ------------------------------------------------------------------------------------------------------- looking, ending */

void pool_wait_idle(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (!is_idle(pool))
        pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

size_t pool_waiting(struct pool *pool)
{
#if POOL_BUG == POOL_BUG_RACE
    /* Wrong: "it is only a number". */
    return pool->length;
#else
    size_t length;
    pthread_mutex_lock(&pool->lock);
    length = pool->length;
    pthread_mutex_unlock(&pool->lock);
    return length;
#endif
}

struct pool_statistics pool_statistics(struct pool *pool)
{
    struct pool_statistics statistics;
    pthread_mutex_lock(&pool->lock);
    statistics = pool->statistics;
    pthread_mutex_unlock(&pool->lock);
    return statistics;
}

struct pool *pool_create(unsigned workers, size_t capacity)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->room, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pool->last = &pool->first;
    pool->capacity = capacity;
    while (workers-- > 0) {
        if (pool_grow(pool) != 0) {
            pool_destroy(pool, POOL_CANCEL);
            return NULL;
        }
    }
    return pool;
}

void pool_destroy(struct pool *pool, enum pool_end how)
{
    struct worker *worker;
    pthread_mutex_lock(&pool->lock);
    pool->ending = 1;
    if (how == POOL_CANCEL)
        cancel_all(pool);
#if POOL_BUG == POOL_BUG_LOST_WAKEUP
    /* Wrong: there may be several. */
    pthread_cond_signal(&pool->work);
#else
    pthread_cond_broadcast(&pool->work);
#endif
    pthread_cond_broadcast(&pool->room);
    worker = pool->workers;
    pthread_mutex_unlock(&pool->lock);

    while (worker != NULL) {
        struct worker *next = worker->next;
        pthread_join(worker->thread, NULL);
        free(worker);
        worker = next;
    }
    assert(is_idle(pool));
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->room);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
