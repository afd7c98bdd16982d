// Two threads hand over a number in turns. Each waits with `if` instead of `while`, and one signal is for both kinds of waiting
// thread: with two consumers, one that was woken finds nothing.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *produce(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&changed, &lock);
    assert(items > 0);
    items--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t producer, consumers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&consumers[i], NULL, consume, NULL);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_join(producer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(consumers[i], NULL);
    return 0;
}
