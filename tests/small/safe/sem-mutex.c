// A semaphore as a lock.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int n;

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
    sem_init(&s, 0, 1);
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(n == 2);
    return 0;
}
