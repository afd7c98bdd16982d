// N dining philosophers whose forks are semaphores, each eats once. With DEADLOCK all take the left fork first; else the
// last one takes the right one first.
#include <pthread.h>
#include <semaphore.h>

#ifndef N
#define N 3
#endif

static sem_t forks[N];

static void *philosopher(void *argument) {
    long i = (long)argument;
    sem_t *first = &forks[i], *second = &forks[(i + 1) % N];
#ifndef DEADLOCK
    if (i == N - 1) {
        first = &forks[0];
        second = &forks[i];
    }
#endif
    sem_wait(first);
    sem_wait(second);
    sem_post(first);
    sem_post(second);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        sem_init(&forks[i], 0, 1);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
}
