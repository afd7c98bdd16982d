// A thread that cannot be cancelled for a while is cancelled at the first cancellation point after that, and nowhere else.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t cancelled, there;
static int steps;

static void *work(void *unused)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    assert(old == PTHREAD_CANCEL_ENABLE);
    sem_wait(&cancelled);
    pthread_testcancel();
    steps++;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    assert(old == PTHREAD_CANCEL_DISABLE);
    steps++;
    sem_wait(&there);
    steps++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *value;
    sem_init(&cancelled, 0, 0);
    sem_init(&there, 0, 1);
    pthread_create(&thread, NULL, work, NULL);
    assert(pthread_cancel(thread) == 0);
    sem_post(&cancelled);
    pthread_join(thread, &value);
    assert(value == PTHREAD_CANCELED && steps == 2);
    return 0;
}
