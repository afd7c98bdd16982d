// A loop that waits, and that does something at certain times only. It is taken to wait, whatever the time is, and the verdict says so:
// that the assertion fails in one of ten seconds is not found.
//
// heddle: verdict = safe
// heddle: exhaustive = no
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int ready, tick;

static void *other(void *argument)
{
    ready = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    struct timespec now;
    pthread_create(&thread, NULL, other, NULL);
    while (!ready) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec % 10 == 7)
            tick = 1;
    }
    pthread_join(thread, NULL);
    assert(!tick);
    return 0;
}
