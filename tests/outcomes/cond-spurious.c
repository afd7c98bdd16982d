// A wait may end for no reason: then what was waited for need not be there.
// heddle: flags = --spurious-wakeups 1
// heddle: outcome = 0
// heddle: outcome = 1
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int ready, seen;
static void *waiter(void *me) {
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_wait(&go, &lock);
    seen = ready;
    pthread_mutex_unlock(&lock);
    return me;
}
static void *caller(void *me) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&lock);
    return me;
}
int main(void) {
    RUN(waiter, caller);
    printf("%d\n", seen);
}
