// A signal that comes before anybody waits is lost.
// heddle: outcome = woken
// heddle: outcome = (deadlock)
// heddle: executions = 2
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static void *waiter(void *me) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&go, &lock);
    pthread_mutex_unlock(&lock);
    return me;
}
static void *caller(void *me) {
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&lock);
    return me;
}
int main(void) {
    RUN(waiter, caller);
    puts("woken");
}
