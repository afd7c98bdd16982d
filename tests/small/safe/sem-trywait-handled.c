// A try that may come too early, and says so.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *post(void *unused)
{
    sem_post(&s);
    return unused;
}

static void *try_(void *unused)
{
    if (sem_trywait(&s) != 0)
        assert(errno == EAGAIN);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&s, 0, 0);
    pthread_create(&threads[0], NULL, post, NULL);
    pthread_create(&threads[1], NULL, try_, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
