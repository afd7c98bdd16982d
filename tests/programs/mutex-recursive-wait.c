// A condition wait unlocks a recursive mutex once. Locked twice, it stays locked, and nobody else can get it to signal.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *set(void *unused)
{
    pthread_mutex_lock(&lock); // heddle: here
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&ready, &lock); // heddle: here
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
