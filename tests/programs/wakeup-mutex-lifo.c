// Two threads lock a mutex that is given to who has waited shortest. Whoever stands in the queue first either has the mutex before the
// other comes, or has to wait for it: twice two executions.
// heddle: verdict = safe
// heddle: executions = 4
#include <assert.h>
#include <heddle.h>
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
    pthread_t thread[2];
    heddle_wakeup(&mutex, HEDDLE_LIFO);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], 0);
    assert(counter == 2);
}
