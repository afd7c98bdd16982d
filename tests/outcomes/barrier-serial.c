// One of three is the serial thread, whichever comes last.
// heddle: outcome = 1
// heddle: outcome = 2
// heddle: outcome = 3
#include "run.h"
static pthread_barrier_t barrier;
static int serial[4];
static void *meets(void *me) {
    serial[(long)me] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    return 0;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 3);
    RUN(meets, meets, meets);
    printf("%d\n", serial[1] * 1 + serial[2] * 2 + serial[3] * 3);
}
