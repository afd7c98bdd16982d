// Two threads take turns.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *ping(void *unused)
{
    pthread_mutex_lock(&m);
    for (int i = 0; i < 2; i++) {
        while (ready != 0)
            pthread_cond_wait(&changed, &m);
        ready = 1;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&m);
    return unused;
}

static void *pong(void *unused)
{
    pthread_mutex_lock(&m);
    for (int i = 0; i < 2; i++) {
        while (ready != 1)
            pthread_cond_wait(&changed, &m);
        ready = 0;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, ping, NULL);
    pthread_create(&threads[1], NULL, pong, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(ready == 0);
    return 0;
}
