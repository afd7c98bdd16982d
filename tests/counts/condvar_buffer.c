// A bounded buffer of K slots, one mutex, two condition variables, P producers and C consumers of one item each. Every
// operation is under the one mutex, so a trace is the order in which it is taken, and whom each signal woke.
#include <assert.h>
#include <pthread.h>

#ifndef P
#define P 1
#endif
#ifndef C
#define C 1
#endif
#ifndef K
#define K 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int count;

static void *produce(void *unused)
{
    pthread_mutex_lock(&lock);
    while (count == K)
        pthread_cond_wait(&not_full, &lock);
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[P + C];
    for (int i = 0; i < P + C; i++)
        pthread_create(&threads[i], NULL, i < P ? produce : consume, NULL);
    for (int i = 0; i < P + C; i++)
        pthread_join(threads[i], NULL);
    assert(count == P - C);
    return 0;
}
