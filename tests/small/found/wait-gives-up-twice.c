// Two waits through one function: each gives up after an hour of its own, also the second.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int one, two; static int gave_up;
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec; }
__attribute__((noinline)) static int wait_for(atomic_int *flag, const long *start) {
    while (!atomic_load(flag)) if (now() - *start > 3600) return 0;
    return 1;
}
static void *set(void *a) { atomic_store(&one, 1); atomic_store(&two, 1); return a; }
int main(void) {
    pthread_t t; atomic_int *flags[] = {&one, &two};
    pthread_create(&t, 0, set, 0);
    int got[2];
    for (int i = 0; i < 2; i++) { long start = now(); got[i] = wait_for(flags[i], &start); }
    assert(!(got[0] && !got[1]));
    pthread_join(t, 0);
    return 0;
}
