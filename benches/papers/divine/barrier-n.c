// A barrier with a condition variable for each thread. With BUG only one of them is signalled when it opens.
#include <pthread.h>

#define THREADS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conditions[THREADS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int here;

static void *worker(void *argument) {
    int me = (int)(long)argument;
    pthread_mutex_lock(&lock);
    if (++here == THREADS) {
        for (int i = 0; i < THREADS; i++) {
#ifdef BUG
            pthread_cond_signal(&conditions[THREADS - 1]);
#else
            pthread_cond_signal(&conditions[i]);
#endif
        }
    }
    while (here < THREADS) pthread_cond_wait(&conditions[me], &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 1; i < THREADS; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    worker(0);
    for (int i = 1; i < THREADS; i++) pthread_join(threads[i], 0);
}
