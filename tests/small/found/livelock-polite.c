// Two threads that want two locks, and are polite: who does not get the second gives the first back.
//
// heddle: kind = livelock
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            break;
        pthread_mutex_unlock(first);
    }
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *one(void *unused)
{
    both(&a, &b);
    return unused;
}

static void *two(void *unused)
{
    both(&b, &a);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
