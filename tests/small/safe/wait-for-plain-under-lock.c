// A loop looks at plain memory under a lock, and is woken by nothing but the lock.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *wait(void *unused)
{
    for (;;) {
        if (pthread_mutex_trylock(&lock))
            continue;
        int seen = ready;
        pthread_mutex_unlock(&lock);
        if (seen)
            return unused;
        pthread_mutex_lock(&lock);
        ready = 1;
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
