// A policy for an object that another thread uses already would come too late for some.
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <heddle.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    heddle_wakeup(&mutex, HEDDLE_FIFO); // heddle: here
    pthread_join(thread, 0);
}
