// Each of K threads writes to the place that a shared index names, then moves the index: two may get the same place.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
#define atomic_int int // a data race on top
#endif

#ifndef K
#define K 6
#endif

static atomic_int index_of_next, places[K + 1];

static void *put(void *unused)
{
    int mine = index_of_next;
    places[mine] = 1;
    index_of_next = mine + 1;
    return unused;
}

int main(void)
{
    pthread_t threads[K];
    for (int i = 0; i < K; i++)
        pthread_create(&threads[i], NULL, put, NULL);
    for (int i = 0; i < K; i++)
        pthread_join(threads[i], NULL);
    int sum = 0;
    for (int i = 0; i < K; i++)
        sum += places[i];
    assert(sum == K);
    return 0;
}
