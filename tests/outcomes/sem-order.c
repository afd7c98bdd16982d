// A semaphore as a lock.
// heddle: outcome = 123
// heddle: outcome = 132
// heddle: outcome = 213
// heddle: outcome = 231
// heddle: outcome = 312
// heddle: outcome = 321
// heddle: executions = 6
#include "run.h"
static sem_t lock;
static void *body_of(void *me) {
    sem_wait(&lock);
    add(me);
    sem_post(&lock);
    return 0;
}
int main(void) {
    sem_init(&lock, 0, 1);
    RUN(body_of, body_of, body_of);
    puts(text);
}
