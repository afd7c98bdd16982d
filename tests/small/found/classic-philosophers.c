// Three philosophers, all right-handed.
//
// heddle: kind = deadlock
#include <pthread.h>

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *p0(void *unused)
{
    pthread_mutex_lock(&forks[0]);
    pthread_mutex_lock(&forks[1]);
    pthread_mutex_unlock(&forks[1]);
    pthread_mutex_unlock(&forks[0]);
    return unused;
}

static void *p1(void *unused)
{
    pthread_mutex_lock(&forks[1]);
    pthread_mutex_lock(&forks[2]);
    pthread_mutex_unlock(&forks[2]);
    pthread_mutex_unlock(&forks[1]);
    return unused;
}

static void *p2(void *unused)
{
    pthread_mutex_lock(&forks[2]);
    pthread_mutex_lock(&forks[0]);
    pthread_mutex_unlock(&forks[0]);
    pthread_mutex_unlock(&forks[2]);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, p0, NULL);
    pthread_create(&threads[1], NULL, p1, NULL);
    pthread_create(&threads[2], NULL, p2, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
