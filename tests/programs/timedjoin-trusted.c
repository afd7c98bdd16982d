// Who takes it for granted that a second is enough is wrong. After a join that timed out, the process ends before the thread
// begins, before it ends, or after.
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 4
// heddle: count = 3
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *worker(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    struct timespec until;
    pthread_create(&thread, 0, worker, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    assert(pthread_timedjoin_np(thread, 0, &until) == 0); // heddle: here
    return 0;
}
