// A lock on the stack of a thread is taken after the thread has ended.
//
// heddle: kind = memory
#include <pthread.h>

static pthread_mutex_t *published;

static void *publish(void *unused)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)unused;
    published = &lock;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(published); // heddle: here
    pthread_mutex_unlock(published);
    return 0;
}
