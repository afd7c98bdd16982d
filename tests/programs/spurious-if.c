// `if` around a wait: wrong when a wait ends for no reason.
// heddle: verdict = found
// heddle: kind = assertion
// heddle: flags = --spurious-wakeups 1
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *argument) {
    pthread_mutex_lock(&mutex);
    if (!ready)
        pthread_cond_wait(&condition, &mutex);
    assert(ready); // heddle: here
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
