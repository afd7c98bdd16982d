// Three threads at a barrier for two, and a fourth that comes when somebody has passed: any of the three can be the one that waits for
// it, and is the one that sees what it wrote.
// heddle: outcome = 1
// heddle: outcome = 2
// heddle: outcome = 3
// heddle: brute = no
#include "run.h"
#include <stdatomic.h>
static pthread_barrier_t barrier;
static sem_t passed;
static atomic_int late;
static int waited;
static void *meets(void *me) {
    pthread_barrier_wait(&barrier);
    if (atomic_load(&late))
        waited = (int)(long)me;
    else
        sem_post(&passed);
    return 0;
}
static void *comes_later(void *me) {
    // Both that are in the first pair have looked.
    sem_wait(&passed);
    sem_wait(&passed);
    atomic_store(&late, 1);
    pthread_barrier_wait(&barrier);
    return me;
}
int main(void) {
    sem_init(&passed, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    RUN(meets, meets, meets, comes_later);
    printf("%d\n", waited);
}
