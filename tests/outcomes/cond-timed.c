// A wait with a time-out ends by the signal (0) or by the time (110); where the signal came first, only by the time.
// heddle: outcome = 0
// heddle: outcome = 110
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int error;
static void *waiter(void *me) {
    struct timespec until = soon();
    pthread_mutex_lock(&lock);
    error = pthread_cond_timedwait(&go, &lock, &until);
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
    printf("%d\n", error);
}
