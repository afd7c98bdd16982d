// A loop that adds up what has passed is none that only looks at the time.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int ready;
static void *set(void *a) { return a; }
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000 + t.tv_nsec; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    long left = 50000000, last = now();
    while (!atomic_load(&ready)) { long n = now(); left -= n - last; last = n; if (left < 0) break; }
    assert(atomic_load(&ready));
    pthread_join(t, 0);
    return 0;
}
