// A thread that may be cancelled at any instruction is: that is not modelled.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <semaphore.h>

static sem_t ready, never;

static void *work(void *unused)
{
    int before;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    sem_post(&ready);
    for (;;)
        sem_wait(&never);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
