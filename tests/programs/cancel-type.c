// A thread that may be cancelled at any instruction, and is not; and one that is cancelled where it waits.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *asynchronous(void *unused)
{
    int before;
    assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before) == 0 && before == PTHREAD_CANCEL_DEFERRED);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before) == 0 && before == PTHREAD_CANCEL_ASYNCHRONOUS);
    return unused;
}

static void *waits(void *unused)
{
    sem_wait(&never);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&one, NULL, asynchronous, NULL);
    pthread_join(one, NULL);
    pthread_create(&other, NULL, waits, NULL);
    pthread_cancel(other);
    pthread_join(other, &result);
    assert(result == PTHREAD_CANCELED);
    sem_destroy(&never);
    return 0;
}
