// A thread keeps a mutex. Another one locks a second mutex, tries the first, and goes round for ever.
//
// heddle: kind = deadlock
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            return;
        pthread_mutex_unlock(first);
    }
}

static void *keeps(void *unused)
{
    pthread_mutex_lock(&b);
    return unused;
}

static void *wants(void *unused)
{
    lock_both(&a, &b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, keeps, NULL);
    pthread_create(&two, NULL, wants, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
