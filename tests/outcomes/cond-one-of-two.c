// Two waiters, one signal, and only the one that was woken says so: each can be the one. The other is called afterwards.
// heddle: outcome = 12
// heddle: outcome = 21
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static sem_t waiting, awake;
static void *waiter(void *me) {
    pthread_mutex_lock(&lock);
    sem_post(&waiting);
    pthread_cond_wait(&go, &lock);
    add(me);
    pthread_mutex_unlock(&lock);
    sem_post(&awake);
    return 0;
}
static void *caller(void *me) {
    sem_wait(&waiting);
    sem_wait(&waiting);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        pthread_cond_signal(&go);
        pthread_mutex_unlock(&lock);
        sem_wait(&awake);
    }
    return me;
}
int main(void) {
    sem_init(&waiting, 0, 0);
    sem_init(&awake, 0, 0);
    RUN(waiter, waiter, caller);
    puts(text);
}
