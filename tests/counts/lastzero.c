// Thread j (1 to N) sets a[j] to a[j-1] + 1; thread 0 looks for the last zero, from the end. a[0] stays zero, so the
// search ends.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int a[N + 1];

static void *look(void *unused)
{
    int i = N;
    while (atomic_load(&a[i]) != 0)
        i--;
    assert(i >= 0);
    return unused;
}

static void *step(void *argument)
{
    int j = (int)(long)argument;
    int before = atomic_load(&a[j - 1]);
    atomic_store(&a[j], before + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, look, NULL);
    for (long j = 1; j <= N; j++)
        pthread_create(&threads[j], NULL, step, (void *)j);
    for (int j = 0; j <= N; j++)
        pthread_join(threads[j], NULL);
    return 0;
}
