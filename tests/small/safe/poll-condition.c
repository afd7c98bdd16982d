// A thread looks at a flag under a lock until it is set. Whoever sets it unlocks the lock by waiting on a condition variable.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t seen = PTHREAD_COND_INITIALIZER;
static int ready, done;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    while (!done)
        pthread_cond_wait(&seen, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    for (;;) {
        pthread_mutex_lock(&lock);
        int is_ready = ready;
        pthread_mutex_unlock(&lock);
        if (is_ready)
            break;
    }
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&seen);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
