// A semaphore is posted after it was destroyed, in one order of two.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 2
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *work(void *unused)
{
    sem_post(&done); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    sem_destroy(&done);
    pthread_join(thread, NULL);
    return 0;
}
