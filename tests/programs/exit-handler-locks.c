// An exit handler takes a lock that a thread, still running, may hold; the thread lets go of it.
//
// heddle: verdict = safe
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void at_exit(void)
{
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(at_exit);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
