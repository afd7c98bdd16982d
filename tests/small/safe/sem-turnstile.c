// A thread lets through as many as come.
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *come(void *unused)
{
    sem_wait(&s);
    sem_post(&s);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&s, 0, 1);
    pthread_create(&threads[0], NULL, come, NULL);
    pthread_create(&threads[1], NULL, come, NULL);
    pthread_create(&threads[2], NULL, come, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
