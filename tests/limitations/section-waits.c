// Waits inside of an atomic section.
#include <heddle.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, hold, NULL);
    heddle_atomic_begin();
    hold(NULL);
    heddle_atomic_end();
    pthread_join(thread, NULL);
    return 0;
}
