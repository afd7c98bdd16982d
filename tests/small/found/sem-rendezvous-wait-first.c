// Each waits for the other before it posts.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t one_came, two_came;

static void *one(void *unused)
{
    sem_wait(&two_came);
    sem_post(&one_came);
    return unused;
}

static void *two(void *unused)
{
    sem_wait(&one_came);
    sem_post(&two_came);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&one_came, 0, 0);
    sem_init(&two_came, 0, 0);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
