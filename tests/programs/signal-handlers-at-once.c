// Two threads in handlers of one signal at the same time: each has its own mask and its own stack. The second handler begins while the first
// waits, and has ended when raise returns.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static sem_t begun, ended;
static _Thread_local int second;
static _Thread_local volatile int handled;

static void handler(int number)
{
    int local = number;
    if (second) {
        handled = 1;
    } else {
        sem_post(&begun);
        sem_wait(&ended);
    }
    assert(local == SIGUSR1 && number == SIGUSR1);
}

static void *first(void *unused)
{
    raise(SIGUSR1);
    return unused;
}

static void *other(void *unused)
{
    second = 1;
    sem_wait(&begun);
    raise(SIGUSR1);
    assert(handled);
    sem_post(&ended);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&begun, 0, 0);
    sem_init(&ended, 0, 0);
    signal(SIGUSR1, handler);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, other, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    sem_destroy(&begun);
    sem_destroy(&ended);
    return 0;
}
