// Without time-outs, a join with one waits; it times out where nobody can go on, and that is no deadlock.
// heddle: verdict = safe
// heddle: flags = --max-timeouts 0
// heddle: executions = 1
// heddle: exhaustive = no
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t never;

static void *ends(void *unused) { return unused; }

static void *stuck(void *unused) {
    sem_wait(&never);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until;
    sem_init(&never, 0, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_create(&thread, 0, ends, 0);
    assert(pthread_timedjoin_np(thread, 0, &until) == 0);
    pthread_create(&thread, 0, stuck, 0);
    assert(pthread_timedjoin_np(thread, 0, &until) == ETIMEDOUT);
    return 0;
}
