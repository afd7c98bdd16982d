// Polite, but each attempt is counted, and the count is looked at some time: this comes to an end.
//
// heddle: flags = --max-steps 60 --max-executions 300
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *both(void *which)
{
    pthread_mutex_t *first = which ? &b : &a, *second = which ? &a : &b;
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0) {
            pthread_mutex_unlock(second);
            pthread_mutex_unlock(first);
            return NULL;
        }
        pthread_mutex_unlock(first);
    }
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
