// Four threads at a barrier for two make two pairs, and each pair has a serial thread: any two of the four.
// heddle: outcome = 12
// heddle: outcome = 13
// heddle: outcome = 14
// heddle: outcome = 23
// heddle: outcome = 24
// heddle: outcome = 34
// heddle: brute = no
#include "run.h"
static pthread_barrier_t barrier;
static int serial[5];
static void *meets(void *me) {
    serial[(long)me] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    return 0;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 2);
    RUN(meets, meets, meets, meets);
    for (long i = 1; i <= 4; i++)
        if (serial[i])
            add((void *)i);
    puts(text);
}
