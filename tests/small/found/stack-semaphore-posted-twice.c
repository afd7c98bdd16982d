// A worker posts a semaphore on the stack of the waiter twice: after the first post the waiter may return.
//
// heddle: kind = memory
#include <pthread.h>
#include <semaphore.h>

static void *work(void *argument)
{
    sem_t *done = argument;
    sem_post(done);
    sem_post(done);
    return NULL;
}

static void request(void)
{
    sem_t done;
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, &done);
    pthread_detach(thread);
    sem_wait(&done);
}

int main(void)
{
    request();
    return 0;
}
