// Setters write two variables one after the other; a checker must see both or neither. K threads in all, one of them the
// checker. It must run between the first setter's two writes, and before any other setter's second.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
#define atomic_int int // a data race on top
#endif

#ifndef K
#define K 3
#endif

static atomic_int a, b;

static void *set(void *unused)
{
    a = 1;
    b = -1;
    return unused;
}

static void *check(void *unused)
{
    int first = a, second = b;
    assert(first == 0 || second == -1);
    return unused;
}

int main(void)
{
    pthread_t threads[K];
    for (int i = 0; i < K - 1; i++)
        pthread_create(&threads[i], NULL, set, NULL);
    pthread_create(&threads[K - 1], NULL, check, NULL);
    for (int i = 0; i < K; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
