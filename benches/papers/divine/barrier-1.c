// A barrier for one use, with one condition variable. With BUG the wait is in no loop, and a spurious wakeup passes it.
#include <assert.h>
#include <pthread.h>

#define THREADS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int here;

static void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    if (++here == THREADS) pthread_cond_broadcast(&all_here);
#ifdef BUG
    else pthread_cond_wait(&all_here, &lock);
#else
    while (here < THREADS) pthread_cond_wait(&all_here, &lock);
#endif
    assert(here == THREADS);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
}
