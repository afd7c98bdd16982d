// One thread ends with the lock. Who comes next is told (130), and if it does not put things in order nobody gets it any more (131).
// The second number is what main gets in the end.
// heddle: outcome = 0 130
// heddle: outcome = 130 131
#include "run.h"
static pthread_mutex_t lock;
static int got;
static void *dies(void *me) {
    pthread_mutex_lock(&lock);
    return me;
}
static void *careless(void *me) {
    got = pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return me;
}
int main(void) {
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    RUN(dies, careless);
    printf("%d %d\n", got, pthread_mutex_lock(&lock));
}
