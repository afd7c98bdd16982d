// A loop that gives up after an hour: it may, whatever the other thread does.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int ready;
static int gave_up;
static void *set(void *a) { atomic_store(&ready, 1); return a; }
int main(void) {
    pthread_t t; struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_create(&t, 0, set, 0);
    while (!atomic_load(&ready)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - start.tv_sec >= 3600) { gave_up = 1; break; }
    }
    assert(!gave_up);
    pthread_join(t, 0);
    return 0;
}
