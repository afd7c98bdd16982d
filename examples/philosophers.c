// The dining philosophers: N of them at a round table, a fork between any two, each needs both neighbours' forks.
//
// Everybody takes the left fork, then the right one. If all of them have the left one, nobody ever gets the right
// one. With N philosophers each fork goes to one neighbour first or to the other, 2^N ways; one of the two circles
// is the deadlock and the other one cannot happen, so there are 2^N - 1 executions. Try -DN=5.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 7
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t forks[N];
static int meals[N];

static void *philosopher(void *argument)
{
    int i = (int)(long)argument;
    pthread_mutex_t *left = &forks[i], *right = &forks[(i + 1) % N];
    pthread_mutex_lock(left);
    pthread_mutex_lock(right); // heddle: here
    meals[i]++;
    pthread_mutex_unlock(right);
    pthread_mutex_unlock(left);
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
        pthread_mutex_destroy(&forks[i]);
    return 0;
}
