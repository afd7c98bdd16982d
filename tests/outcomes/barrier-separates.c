// What is written before is read after, and what is written after is not read before.
// heddle: outcome = 1 2
#include "run.h"
static pthread_barrier_t barrier;
static int value, seen[2];
static void *writes(void *me) {
    value = 1;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    value = 2;
    pthread_barrier_wait(&barrier);
    return me;
}
static void *reads(void *me) {
    pthread_barrier_wait(&barrier);
    seen[0] = value;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    seen[1] = value;
    return me;
}
int main(void) {
    pthread_barrier_init(&barrier, 0, 2);
    RUN(writes, reads);
    printf("%d %d\n", seen[0], seen[1]);
}
