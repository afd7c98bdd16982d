// A reader and a writer with time-outs beside a writer. The one that writes comes in before the other writer or after it: then
// there are five places for the reader, two of them in the middle of a writer, where it times out. Or it times out
// beside the other writer, with three places for the reader, or beside the reader, before or after the other writer.
// heddle: verdict = safe
// heddle: executions = 15
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;
static const struct timespec deadline = { 1700000100, 0 };

static void *reader(void *argument) {
    int error = pthread_rwlock_timedrdlock(&lock, &deadline);
    if (error == 0) {
        assert(value == 0 || value == 1 || value == 2);
        pthread_rwlock_unlock(&lock);
    } else {
        assert(error == ETIMEDOUT);
    }
    return argument;
}

static void *writer(void *argument) {
    struct timespec soon = { 1001, 0 };
    int error = pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon);
    if (error == 0) {
        value++;
        pthread_rwlock_unlock(&lock);
    } else {
        assert(error == ETIMEDOUT);
    }
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_rwlock_wrlock(&lock);
    value++;
    pthread_rwlock_unlock(&lock);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
