// Two threads each take one of two places and want another.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *use(void *unused)
{
    sem_wait(&s);
    sem_wait(&s);
    sem_post(&s);
    sem_post(&s);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&s, 0, 2);
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
