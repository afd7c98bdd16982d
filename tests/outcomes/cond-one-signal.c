// Two waiters and one signal: one is left waiting, and that is a deadlock in every order.
// heddle: outcome = (deadlock)
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static sem_t waiting;
static void *waiter(void *me) {
    pthread_mutex_lock(&lock);
    sem_post(&waiting);
    pthread_cond_wait(&go, &lock);
    add(me);
    pthread_mutex_unlock(&lock);
    return 0;
}
static void *caller(void *me) {
    sem_wait(&waiting);
    sem_wait(&waiting);
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&lock);
    return me;
}
int main(void) {
    sem_init(&waiting, 0, 0);
    RUN(waiter, waiter, caller);
    puts(text);
}
