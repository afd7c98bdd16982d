// One condition for producers and consumers, and broadcasts.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static void *produce(void *unused)
{
    pthread_mutex_lock(&m);
    while (full)
        pthread_cond_wait(&changed, &m);
    full = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&m);
    while (!full)
        pthread_cond_wait(&changed, &m);
    full = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, produce, NULL);
    pthread_create(&threads[2], NULL, consume, NULL);
    pthread_create(&threads[3], NULL, consume, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    pthread_join(threads[3], NULL);
    return 0;
}
