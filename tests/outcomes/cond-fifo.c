// Who has slept longest is woken first, and the mutex is had in turn: with both, the order of the wake-ups is that of falling asleep.
// heddle: brute = no
// heddle: flags = --wakeup fifo
// heddle: outcome = 12 12
// heddle: outcome = 21 21
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static sem_t waiting;
static char asleep[4];
static void *waiter(void *me) {
    pthread_mutex_lock(&lock);
    asleep[strlen(asleep)] = (char)('0' + (long)me);
    sem_post(&waiting);
    pthread_cond_wait(&go, &lock);
    add(me);
    pthread_mutex_unlock(&lock);
    sem_post(&waiting);
    return 0;
}
static void *caller(void *me) {
    sem_wait(&waiting);
    sem_wait(&waiting);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        pthread_cond_signal(&go);
        pthread_mutex_unlock(&lock);
        sem_wait(&waiting);
    }
    return me;
}
int main(void) {
    sem_init(&waiting, 0, 0);
    RUN(waiter, waiter, caller);
    printf("%s %s\n", asleep, text);
}
