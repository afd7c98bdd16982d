// The shape of a parallel scanner: main puts paths into a queue, workers take them, and count matches under a lock of its own.
#include <assert.h>
#include <pthread.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef PATHS
#define PATHS 2
#endif

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, totals = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int waiting, closed, matches;

static void *scanner(void *argument) {
    for (;;) {
        pthread_mutex_lock(&queue);
        while (!waiting && !closed) pthread_cond_wait(&filled, &queue);
        if (!waiting) {
            pthread_mutex_unlock(&queue);
            return argument;
        }
        waiting--;
        pthread_mutex_unlock(&queue);
        pthread_mutex_lock(&totals);
        matches++;
        pthread_mutex_unlock(&totals);
    }
}

int main(void) {
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_create(&threads[i], 0, scanner, 0);
    for (int i = 0; i < PATHS; i++) {
        pthread_mutex_lock(&queue);
        waiting++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&queue);
    }
    pthread_mutex_lock(&queue);
    closed = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&queue);
    for (int i = 0; i < WORKERS; i++) pthread_join(threads[i], 0);
    assert(matches == PATHS);
}
