// A detached thread says when it is done.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int x;

static void *work(void *unused)
{
    x = 1;
    sem_post(&done);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    sem_wait(&done);
    assert(x == 1);
    return 0;
}
