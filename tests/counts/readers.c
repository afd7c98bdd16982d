// One writer of an atomic and N readers: each reader comes before the writer or after it, 2^N.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int x;

static void *write_x(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}

static void *read_x(void *unused)
{
    int seen = atomic_load(&x);
    assert(seen == 0 || seen == 1);
    return unused;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, write_x, NULL);
    for (int i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, read_x, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
