// One slot, one producer, one consumer.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slot, full;

static void *produce(void *unused)
{
    pthread_mutex_lock(&m);
    while (full)
        pthread_cond_wait(&not_full, &m);
    slot = 7;
    full = 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&m);
    while (!full)
        pthread_cond_wait(&not_empty, &m);
    assert(slot == 7);
    full = 0;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, consume, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
