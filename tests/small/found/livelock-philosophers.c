// Three philosophers who put the left fork back if the right one is taken.
//
// heddle: kind = livelock
// heddle: flags = --max-steps 40
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t forks[N];

static void *dine(void *argument)
{
    long me = (long)argument;
    for (;;) {
        pthread_mutex_lock(&forks[me]);
        if (pthread_mutex_trylock(&forks[(me + 1) % N]) == 0)
            break;
        pthread_mutex_unlock(&forks[me]);
    }
    pthread_mutex_unlock(&forks[(me + 1) % N]);
    pthread_mutex_unlock(&forks[me]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
