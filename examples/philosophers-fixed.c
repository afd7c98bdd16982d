// The dining philosophers, the last one left-handed.
//
// The same as philosophers.c, but the last philosopher takes the right fork first. That breaks the circle: 2^N - 2
// executions, and everybody eats in each of them. Try -DN=10.
//
// heddle: verdict = safe
// heddle: executions = 6
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t forks[N];
static int meals[N];

static void *philosopher(void *argument)
{
    int i = (int)(long)argument;
    int left = i, right = (i + 1) % N;
    int first = i == N - 1 ? right : left, second = i == N - 1 ? left : right;
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    meals[i]++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
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
    for (int i = 0; i < N; i++) {
        assert(meals[i] == 1);
        pthread_mutex_destroy(&forks[i]);
    }
    return 0;
}
