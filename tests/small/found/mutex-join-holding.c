// A thread is joined with the lock held that it needs.
//
// heddle: kind = deadlock
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&m);

    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_mutex_lock(&m);
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    return 0;
}
