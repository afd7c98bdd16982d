// expect: safe with -DN=100, found with -DN=100 -DBAD (deadlock)
// bound: 1 s of processor time
// N philosophers take two forks each; the last takes them in the other order, or does not.
#include <pthread.h>

#ifndef N
#define N 5
#endif

static pthread_mutex_t forks[N];

static void *philosopher(void *arg) {
    int k = (int)(long)arg;
    int left = k, right = (k + 1) % N;
#ifndef BAD
    if (k == N - 1) {
        left = 0;
        right = N - 1;
    }
#endif
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int k = 0; k < N; k++)
        pthread_mutex_init(&forks[k], 0);
    for (long k = 0; k < N; k++)
        pthread_create(&threads[k], 0, philosopher, (void *)k);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], 0);
    return 0;
}
