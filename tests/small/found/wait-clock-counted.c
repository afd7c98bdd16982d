// A loop that counts its rounds is none that waits, although it looks at a clock.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int ready;
static void *set(void *a) { return a; }
int main(void) {
    pthread_t t; struct timespec now; int n = 0;
    pthread_create(&t, 0, set, 0);
    while (!atomic_load(&ready)) { clock_gettime(CLOCK_MONOTONIC, &now); if (++n == 20) break; }
    assert(n != 20);
    pthread_join(t, 0);
    return 0;
}
