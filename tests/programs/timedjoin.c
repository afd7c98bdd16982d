// A join with a time-out: both outcomes, in which the thread has ended and in which it has not; one that times out can be repeated.
// The join comes before the end of the thread (1: it times out, and the second waits) or after (2).
// heddle: verdict = safe
// heddle: executions = 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static void *worker(void *unused) {
    (void)unused;
    return (void *)7;
}

int main(void) {
    pthread_t thread;
    struct timespec until;
    void *value = 0;
    pthread_create(&thread, 0, worker, 0);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 1;
    int error = pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &until);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == ETIMEDOUT) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert(now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
        assert(pthread_timedjoin_np(thread, &value, 0) == 0); // Without a deadline: waits.
    }
    assert(value == (void *)7);
    until.tv_nsec = -1;
    assert(pthread_timedjoin_np(pthread_self(), 0, &until) == EDEADLK);
    return 0;
}
