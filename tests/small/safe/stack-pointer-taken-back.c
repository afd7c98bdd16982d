// A function publishes the address of its variable, and takes it back under the lock that users hold.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int *published;

static void publish(void)
{
    atomic_int number = 1;
    pthread_mutex_lock(&lock);
    published = &number;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    published = NULL;
    pthread_mutex_unlock(&lock);
}

static void *use(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (published)
        atomic_fetch_add(published, 1);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    publish();
    publish();
    pthread_join(thread, NULL);
    return 0;
}
