// It is had, or the time is over while another has it.
// heddle: outcome = 0
// heddle: outcome = 110
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int error;
static void *locks(void *me) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return me;
}
static void *waits(void *me) {
    struct timespec until = soon();
    error = pthread_mutex_timedlock(&lock, &until);
    if (!error)
        pthread_mutex_unlock(&lock);
    return me;
}
int main(void) {
    RUN(locks, waits);
    printf("%d\n", error);
}
