// Waits for a post that never comes.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *wait_(void *unused)
{
    sem_wait(&s);
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    sem_init(&s, 0, 0);
    pthread_create(&threads[0], NULL, wait_, NULL);
    pthread_join(threads[0], NULL);
    return 0;
}
