// A search of a hundred thousand executions, for `--jobs`: nine threads add up a block each, and enter the sum in a ledger under a
// lock, in any order (9! = 362,880 of them). The executions cost about what those of a small real program cost: 9 times ROUNDS
// instrumented reads, and 56 operations.
#include <pthread.h>
#include <stddef.h>

#define THREADS 9
#ifndef ROUNDS
#define ROUNDS 2048
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int block[ROUNDS];
// Not static: a compiler leaves out what it can see that nobody reads.
long ledger[THREADS];
static int entries;

static void *work(void *unused)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        sum += block[i];
    pthread_mutex_lock(&lock);
    ledger[entries++] = sum;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return entries == THREADS ? 0 : 1;
}
