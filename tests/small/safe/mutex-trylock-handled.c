// A try at a lock, and both results are provided for.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *holder(void *unused)
{
    pthread_mutex_lock(&m);
    done++;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *trier(void *unused)
{
    if (pthread_mutex_trylock(&m) == 0) {
        done++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, holder, NULL);
    pthread_create(&threads[1], NULL, trier, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
