// Polite, with a pause of a random length: it ends with probability one.
//
// heddle: flags = --max-steps 60 --max-executions 300
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *both(void *which)
{
    pthread_mutex_t *first = which ? &b : &a, *second = which ? &a : &b;
    pthread_mutex_lock(first);
    while (pthread_mutex_trylock(second) != 0) {
        unsigned char pause = 0;
        pthread_mutex_unlock(first);
        if (getrandom(&pause, 1, 0) == 1)
            usleep(pause);
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
