// Two threads join each other.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <semaphore.h>

static pthread_t one, two;
static sem_t go;

static void *join_two(void *unused)
{
    sem_wait(&go);
    pthread_join(two, NULL);
    return unused;
}

static void *join_one(void *unused)
{
    sem_wait(&go);
    pthread_join(one, NULL);
    return unused;
}

int main(void)
{
    sem_init(&go, 0, 0);
    pthread_create(&one, NULL, join_two, NULL);
    pthread_create(&two, NULL, join_one, NULL);
    sem_post(&go);
    sem_post(&go);
    pthread_exit(NULL);
}
