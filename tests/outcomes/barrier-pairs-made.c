// The same with a barrier made of a mutex and a condition variable, whose serial thread is the last one: the same outcomes.
// heddle: outcome = 12
// heddle: outcome = 13
// heddle: outcome = 14
// heddle: outcome = 23
// heddle: outcome = 24
// heddle: outcome = 34
// heddle: brute = no
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
static int arrived, rounds;
static int made_wait(void) {
    pthread_mutex_lock(&lock);
    int mine = rounds, last = ++arrived == 2;
    if (last) {
        arrived = 0;
        rounds++;
        pthread_cond_broadcast(&all);
    }
    while (rounds == mine)
        pthread_cond_wait(&all, &lock);
    pthread_mutex_unlock(&lock);
    return last;
}
static int serial[5];
static void *meets(void *me) {
    serial[(long)me] = made_wait();
    return 0;
}
int main(void) {
    RUN(meets, meets, meets, meets);
    for (long i = 1; i <= 4; i++)
        if (serial[i])
            add((void *)i);
    puts(text);
}
