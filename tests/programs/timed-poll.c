// A loop that waits a millisecond at a time. It may time out as often as it likes before the flag is set, so the time-outs
// of a thread are bounded, by three; and nobody signals, so that only time-outs let it go on. The flag is set before the loop or
// in one of its first four rounds.
// heddle: verdict = safe
// heddle: exhaustive = no
// heddle: executions = 5
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *argument) {
    pthread_mutex_lock(&mutex);
    while (!ready) {
        struct timespec deadline;
        clock_gettime(CLOCK_REALTIME, &deadline);
        deadline.tv_nsec += 1000000;
        if (deadline.tv_nsec >= 1000000000) {
            deadline.tv_nsec -= 1000000000;
            deadline.tv_sec++;
        }
        pthread_cond_timedwait(&condition, &mutex, &deadline);
    }
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
}
