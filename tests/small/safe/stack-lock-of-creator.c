// A lock on the stack of a function that waits for the thread which takes it.
#include <pthread.h>

static int counter;

static void *count(void *lock)
{
    pthread_mutex_lock(lock);
    counter++;
    pthread_mutex_unlock(lock);
    return NULL;
}

static void run(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    pthread_create(&thread, NULL, count, &lock);
    count(&lock);
    pthread_join(thread, NULL);
}

int main(void)
{
    run();
    run();
    return counter - 4;
}
