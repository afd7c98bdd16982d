// A semaphore of one that is given to who has waited longest, among three threads: 3! orders in the queue, and nothing else.
// heddle: verdict = safe
// heddle: flags = --wakeup sem=fifo
// heddle: executions = 6
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int counter;

static void *worker(void *argument) {
    sem_wait(&semaphore);
    counter++;
    sem_post(&semaphore);
    return argument;
}

int main(void) {
    pthread_t thread[3];
    sem_init(&semaphore, 0, 1);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], 0);
    assert(counter == 3);
}
