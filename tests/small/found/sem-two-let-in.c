// A semaphore as a lock that lets two in.
//
// heddle: kind = data-race
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
int n;

static void *add(void *unused)
{
    sem_wait(&s);
    n++;
    sem_post(&s);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&s, 0, 2);
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
