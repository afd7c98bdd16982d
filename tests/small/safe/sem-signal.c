// A post that may come before the wait.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int x;

static void *wait_(void *unused)
{
    sem_wait(&s);
    assert(x == 1);
    return unused;
}

static void *post(void *unused)
{
    x = 1;
    sem_post(&s);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&s, 0, 0);
    pthread_create(&threads[0], NULL, wait_, NULL);
    pthread_create(&threads[1], NULL, post, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
