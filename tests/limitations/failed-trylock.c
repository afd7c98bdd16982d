/* POSIX does not say that a failed trylock synchronises with the lock by the holder. Heddle takes it to: no data race is reported. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *reader(void *unused)
{
    (void)unused;
    if (pthread_mutex_trylock(&lock) != 0)
        return (void *)(long)data;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    data = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
