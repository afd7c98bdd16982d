// K philosophers who take the left fork first: they starve if each has taken one before any takes a second.
#include <pthread.h>

#ifndef K
#define K 3
#endif

static pthread_mutex_t forks[K];

static void *philosopher(void *seat)
{
    long left = (long)seat, right = (left + 1) % K;
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t threads[K];
    for (int i = 0; i < K; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < K; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < K; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
