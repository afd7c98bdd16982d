// A waiter that has timed out and not got the mutex back yet is not there for a signal: the signal is lost although the
// one who gives it holds the mutex, and although the waiter goes on after it. Found only if timing out and locking are two steps.
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *argument) {
    struct timespec deadline = { 1700000001, 0 };
    pthread_mutex_lock(&mutex);
    if (!ready) {
        int error = pthread_cond_timedwait(&condition, &mutex, &deadline);
        assert(!(error == ETIMEDOUT && ready)); // heddle: here
    }
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
}
