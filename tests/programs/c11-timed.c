// C11's locks and condition variables with time-outs: the lock comes before the other thread's, times out, or comes after it
// (a mutex of its own, which no other order depends on): three ways. The wait has the four of timed-wait.c.
// heddle: verdict = safe
// heddle: executions = 12
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex, other;
static cnd_t condition;
static int ready;

static int worker(void *argument) {
    (void)argument;
    mtx_lock(&other);
    mtx_unlock(&other);
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    return 5;
}

int main(void) {
    thrd_t thread;
    struct timespec deadline;
    mtx_init(&mutex, mtx_timed);
    mtx_init(&other, mtx_timed | mtx_recursive);
    cnd_init(&condition);
    thrd_create(&thread, worker, 0);
    timespec_get(&deadline, TIME_UTC);
    deadline.tv_sec += 1;
    int outcome = mtx_timedlock(&other, &deadline);
    assert(outcome == thrd_success || outcome == thrd_timedout);
    if (outcome == thrd_success)
        mtx_unlock(&other);
    mtx_lock(&mutex);
    outcome = ready ? thrd_success : cnd_timedwait(&condition, &mutex, &deadline);
    assert(outcome == thrd_timedout || (outcome == thrd_success && ready));
    mtx_unlock(&mutex);
    int result;
    thrd_join(thread, &result);
    assert(result == 5);
}
