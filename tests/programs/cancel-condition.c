// Cancelled while it waits on a condition variable: the cleanup handler finds the mutex locked. One signal for two waiters: if it
// wakes the one that is cancelled after it has seen that it is ready, the other one sleeps on.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 59
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, left;
static void clean(void *u) { left++; pthread_mutex_unlock(&m); }
static void *work(void *u)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(clean, NULL);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return u;
}
int main(void)
{
    pthread_t a, b; void *value;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_cancel(a);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, &value);
    pthread_join(b, &value);
    assert(left == 2);
    return 0;
}
