// The same with a pause before the next attempt: both make the same pause.
//
// heddle: kind = livelock
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *both(void *which)
{
    pthread_mutex_t *first = which ? &b : &a, *second = which ? &a : &b;
    pthread_mutex_lock(first);
    while (pthread_mutex_trylock(second) != 0) {
        pthread_mutex_unlock(first);
        usleep(100);
        pthread_mutex_lock(first);
    }
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, both, NULL);
    pthread_create(&threads[1], NULL, both, &a);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
