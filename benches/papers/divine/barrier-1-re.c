// A barrier that resets itself, used twice by each thread. BUG 1: nobody resets it. BUG 2: the reset is not told from the next use.
// BUG 3: the barrier is right, and the test looks at a count that the next round changes.
#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif
#define THREADS 2
#define ROUNDS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int here, round_number;
static int passed[THREADS];

static void meet(void) {
    pthread_mutex_lock(&lock);
#if BUG == 1
    // The count is never set back: from the second round on, somebody is always missing.
    if (++here == THREADS) pthread_cond_broadcast(&all_here);
    else while (here != THREADS) pthread_cond_wait(&all_here, &lock);
#elif BUG == 2
    // Whoever comes last sets the count back. Who has not woken up by then waits for the next round.
    if (++here == THREADS) {
        here = 0;
        pthread_cond_broadcast(&all_here);
    } else while (here != 0) pthread_cond_wait(&all_here, &lock);
#else
    int mine = round_number;
    if (++here == THREADS) {
        here = 0;
        round_number++;
        pthread_cond_broadcast(&all_here);
    } else while (round_number == mine) pthread_cond_wait(&all_here, &lock);
#endif
    pthread_mutex_unlock(&lock);
}

static void *worker(void *argument) {
    int me = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        passed[me]++;
        pthread_mutex_unlock(&lock);
        meet();
        pthread_mutex_lock(&lock);
#if BUG == 3
        assert(passed[1 - me] == round + 1);
#else
        assert(passed[1 - me] >= round + 1);
#endif
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, worker, (void *)1);
    worker((void *)0);
    pthread_join(other, 0);
}
