// A loop around a trylock is right however often one fails: the bound on failures is no bound on rounds.
// heddle: verdict = safe
// heddle: flags = --spurious-failures 2
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *argument) {
    while (pthread_mutex_trylock(&mutex) != 0)
        sched_yield();
    counter++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], 0);
    assert(counter == 2);
}
