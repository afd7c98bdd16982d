// A thread looks at a flag under a lock that nobody sets if the other thread comes first.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started, ready;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = started;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    started = 1;
    pthread_mutex_unlock(&lock);
    for (;;) {
        pthread_mutex_lock(&lock); // heddle: here
        int seen = ready;
        pthread_mutex_unlock(&lock);
        if (seen)
            break;
    }
    pthread_join(worker, NULL);
    return 0;
}
