// A condition wait with a time-out, and one signal. Four orders: the signal comes first, and nobody waits. Or the waiter is
// woken. Or it times out before the signal, and gets the mutex back before the other one has it, or after that.
// heddle: verdict = safe
// heddle: executions = 4
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *argument) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec = 0;
    deadline.tv_sec += 1;
    pthread_mutex_lock(&mutex);
    if (!ready) {
        int error = pthread_cond_timedwait(&condition, &mutex, &deadline);
        assert(error == ETIMEDOUT || (error == 0 && ready));
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
