// One thread increments under a lock and checks that nobody came between; the others take another lock. K threads in all.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
#define atomic_int int // a data race on top
#endif

#ifndef K
#define K 3
#endif

static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static atomic_int value;

static void *careful(void *unused)
{
    pthread_mutex_lock(&right);
    int before = value;
    value++;
    assert(value == before + 1);
    pthread_mutex_unlock(&right);
    return unused;
}

static void *careless(void *unused)
{
    pthread_mutex_lock(&wrong);
    value++;
    pthread_mutex_unlock(&wrong);
    return unused;
}

int main(void)
{
    pthread_t threads[K];
    pthread_create(&threads[0], NULL, careful, NULL);
    for (int i = 1; i < K; i++)
        pthread_create(&threads[i], NULL, careless, NULL);
    for (int i = 0; i < K; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
