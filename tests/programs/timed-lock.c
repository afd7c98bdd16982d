// A lock with a time-out beside a critical section: it comes before the section, times out in the middle, or comes after it.
// Three orders. After a time-out it is later than the deadline.
// heddle: verdict = safe
// heddle: executions = 3
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *timed(void *argument) {
    struct timespec deadline, now;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    int error = pthread_mutex_timedlock(&mutex, &deadline);
    clock_gettime(CLOCK_REALTIME, &now);
    int late = now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec);
    if (error == 0) {
        counter++;
        assert(!late);
        pthread_mutex_unlock(&mutex);
    } else {
        assert(error == ETIMEDOUT && late);
    }
    return argument;
}

static void *other(void *argument) {
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, timed, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
