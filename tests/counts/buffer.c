// A bounded buffer of K places, P producers and C consumers of one item each, one mutex and two condition variables.
// Everything happens under the one mutex, so an execution is the sequence of acquisitions and which sleeper each signal
// wakes.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef P
#define P 2
#endif
#ifndef C
#define C 2
#endif
#ifndef K
#define K 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int items;

static void *produce(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (items == K)
        pthread_cond_wait(&not_full, &mutex);
    items++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (items == 0)
        pthread_cond_wait(&not_empty, &mutex);
    items--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[P + C];
    for (int i = 0; i < P + C; i++)
        pthread_create(&threads[i], NULL, i < P ? produce : consume, NULL);
    for (int i = 0; i < P + C; i++)
        pthread_join(threads[i], NULL);
    assert(items == P - C);
    return 0;
}
