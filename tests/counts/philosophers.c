// N dining philosophers who each eat once, left fork first. With REVERSED the last one takes the right fork first.
// Each fork is taken first by one neighbour or by the other: 2^N ways, without the two circles if REVERSED; without
// only the impossible one if not, the other circle being the deadlock.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef REVERSED
#define REVERSED 0
#endif

static pthread_mutex_t forks[N];
static int meals[N];

static void *philosopher(void *argument)
{
    int i = (int)(long)argument;
    int left = i, right = (i + 1) % N, turned = REVERSED && i == N - 1;
    pthread_mutex_t *first = &forks[turned ? right : left], *second = &forks[turned ? left : right];
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    meals[i]++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        assert(meals[i] == 1);
    return 0;
}
