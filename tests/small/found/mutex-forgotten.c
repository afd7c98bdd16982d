// A path that returns with the lock held.
//
// heddle: kind = deadlock
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stop;

static void *one(void *unused)
{
    pthread_mutex_lock(&m);
    if (stop)
        return unused;
    stop = 1;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *two(void *unused)
{
    pthread_mutex_lock(&m);
    if (stop)
        return unused;
    stop = 1;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *three(void *unused)
{
    pthread_mutex_lock(&m);
    stop = 2;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_create(&threads[2], NULL, three, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
