// Two locks in opposite order, the second with a time-out, and time-outs switched off: there is no deadlock, because when nobody
// can go on a time-out passes. Three executions: one thread first, the other first, and the one where both wait.
// heddle: verdict = safe
// heddle: executions = 3
// heddle: exhaustive = no
// heddle: flags = --max-timeouts 0
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec soon = { 1700000001, 0 }, late = { 1700000002, 0 };
static int failed;

static void *there(void *argument) {
    pthread_mutex_lock(&a);
    // The earlier deadline passes, the other one does not: its mutex is free by then.
    if (pthread_mutex_timedlock(&b, &soon) == 0)
        pthread_mutex_unlock(&b);
    else
        failed = 1;
    pthread_mutex_unlock(&a);
    return argument;
}

static void *back(void *argument) {
    pthread_mutex_lock(&b);
    assert(pthread_mutex_timedlock(&a, &late) == 0);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
}

int main(void) {
    pthread_t x, y;
    pthread_create(&x, 0, there, 0);
    pthread_create(&y, 0, back, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
}
