// A loop that gives up after ten years: taken for one that waits for ever.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int ready;

static void *other(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    struct timespec now;
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    while (!atomic_load(&ready)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > 10L * 365 * 86400) return 0;
    }
    return 1;
}
