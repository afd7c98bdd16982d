// Two threads meet twice: who is last in the one round says nothing about the other.
// heddle: outcome = 1 1
// heddle: outcome = 1 2
// heddle: outcome = 2 1
// heddle: outcome = 2 2
// heddle: executions = 4
#include "run.h"
static pthread_barrier_t barrier;
static int serial[3][2];
static void *meets(void *me) {
    for (int round = 0; round < 2; round++)
        serial[(long)me][round] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    return 0;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 2);
    RUN(meets, meets);
    printf("%d %d\n", 1 + serial[2][0], 1 + serial[2][1]);
}
