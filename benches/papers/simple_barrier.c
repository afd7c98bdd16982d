// N threads meet at a barrier; with DEADLOCK it waits for one more.
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifdef DEADLOCK
#define COUNT (N + 1)
#else
#define COUNT N
#endif

static pthread_barrier_t barrier;

static void *worker(void *argument) {
    pthread_barrier_wait(&barrier);
    return argument;
}

int main(void) {
    pthread_t threads[N];
    pthread_barrier_init(&barrier, 0, COUNT);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
}
