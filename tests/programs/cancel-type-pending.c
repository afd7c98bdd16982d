// A request that is pending takes effect when the thread asks for asynchronous cancellation.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t requested;

static void *work(void *unused)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    sem_wait(&requested);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    assert(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    sem_init(&requested, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    sem_post(&requested);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    sem_destroy(&requested);
    return 0;
}
