// Two threads pass a critical section again and again, for ever. That is an endless program and no livelock.
//
// heddle: verdict = incomplete
// heddle: flags = --max-steps 40 --max-executions 30
// heddle: exhaustive = no
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        value = !value;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    return 0;
}
