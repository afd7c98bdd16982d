// A pool of workers is shut down: the flag is set without the lock, so that a worker that has looked at it and not begun to wait yet
// misses the broadcast and waits for ever.
#include <pthread.h>
#include <stdatomic.h>

#define WORKERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int jobs, ends;

static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (jobs == 0 && !ends)
            pthread_cond_wait(&changed, &lock);
        int has_job = jobs > 0;
        if (has_job)
            jobs--;
        pthread_mutex_unlock(&lock);
        if (!has_job)
            return unused;
    }
}

int main(void)
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        jobs++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    ends = 1;
    pthread_cond_broadcast(&changed);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
