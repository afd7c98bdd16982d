// Each waits for the other, and posts first.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t one_came, two_came;
static int a, b;

static void *one(void *unused)
{
    a = 1;
    sem_post(&one_came);
    sem_wait(&two_came);
    assert(b == 1);
    return unused;
}

static void *two(void *unused)
{
    b = 1;
    sem_post(&two_came);
    sem_wait(&one_came);
    assert(a == 1);
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
