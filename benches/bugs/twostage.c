// A value and its successor, each under a lock of its own; a reader in between sees the value without its successor. K
// threads in all, one of them the reader.
#include <assert.h>
#include <pthread.h>

#ifndef K
#define K 2
#endif

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static int value, next;

static void *write_both(void *unused)
{
    pthread_mutex_lock(&one);
    value = 1;
    pthread_mutex_unlock(&one);
    pthread_mutex_lock(&two);
    next = 2;
    pthread_mutex_unlock(&two);
    return unused;
}

static void *read_both(void *unused)
{
    pthread_mutex_lock(&one);
    int first = value;
    pthread_mutex_unlock(&one);
    if (first == 0)
        return unused;
    pthread_mutex_lock(&two);
    int second = next;
    pthread_mutex_unlock(&two);
    assert(second == first + 1);
    return unused;
}

int main(void)
{
    pthread_t threads[K];
    for (int i = 0; i < K - 1; i++)
        pthread_create(&threads[i], NULL, write_both, NULL);
    pthread_create(&threads[K - 1], NULL, read_both, NULL);
    for (int i = 0; i < K; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
