// An exit handler takes a lock that a thread never gives back.
//
// heddle: verdict = found
// heddle: kind = deadlock
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void at_exit(void)
{
    pthread_mutex_lock(&lock); // heddle: here
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(at_exit);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
