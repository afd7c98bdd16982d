// Three threads lock a mutex that is given to who has waited longest: the order in which they stand in the queue decides everything,
// and there are 3! of them.
// heddle: verdict = safe
// heddle: flags = --wakeup mutex=fifo
// heddle: executions = 6
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *argument) {
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], 0);
    assert(counter == 3);
}
