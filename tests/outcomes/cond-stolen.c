// Between the signal and the waking up a third thread can take what the signal was about: an `if` around a wait is not enough.
// The first number is what the waiter found when it went on.
// heddle: outcome = 1 0
// heddle: outcome = 0 1
// heddle: outcome = 1 1
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static int items, found, stolen;
static void *waiter(void *me) {
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&some, &lock);
    found = items > 0;
    items -= found;
    pthread_mutex_unlock(&lock);
    return me;
}
static void *thief(void *me) {
    pthread_mutex_lock(&lock);
    stolen = items > 0;
    items -= stolen;
    pthread_mutex_unlock(&lock);
    return me;
}
static void *producer(void *me) {
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&some);
    pthread_mutex_unlock(&lock);
    // Once more, so that nobody waits for ever.
    pthread_mutex_lock(&lock);
    items += 1;
    pthread_cond_signal(&some);
    pthread_mutex_unlock(&lock);
    return me;
}
int main(void) {
    RUN(waiter, thief, producer);
    printf("%d %d\n", found, stolen);
}
