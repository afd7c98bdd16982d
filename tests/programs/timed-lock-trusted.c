// Who takes a lock with a time-out for granted is wrong in one order of three; there, the process ends before the other one
// unlocks or after that.
// heddle: verdict = found
// heddle: kind = assertion
// heddle: count = 2
// heddle: executions = 4
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *timed(void *argument) {
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += 3600;
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &deadline) == 0); // heddle: here
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, timed, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
}
