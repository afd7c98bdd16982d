// A counter that all wait for, and that one too few arrive at.
//
// heddle: kind = deadlock
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *arrive(void *unused)
{
    pthread_mutex_lock(&m);
    if (++ready == 3)
        pthread_cond_broadcast(&changed);
    while (ready < 3)
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, arrive, NULL);
    pthread_create(&threads[1], NULL, arrive, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
