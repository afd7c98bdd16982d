// Who looks at a clock later sees a later time: two threads can do so in either order.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static struct timespec mine, its;

static long nanoseconds(const struct timespec *time)
{
    return time->tv_sec * 1000000000L + time->tv_nsec;
}

static void *work(void *unused)
{
    clock_gettime(CLOCK_MONOTONIC, &its);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    clock_gettime(CLOCK_MONOTONIC, &mine);
    pthread_join(thread, NULL);
    assert(nanoseconds(&its) <= nanoseconds(&mine)); // heddle: here
    return 0;
}
