// Looks once: another may have taken what it was woken for.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *take(void *unused)
{
    pthread_mutex_lock(&m);
    if (!ready)
        pthread_cond_wait(&changed, &m);
    assert(ready > 0);
    ready--;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *put(void *unused)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    ready++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, take, NULL);
    pthread_create(&threads[2], NULL, put, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
