// Two threads poll a clock many times. Only the first looks of each are ordered.
//
// heddle: verdict = safe
// heddle: executions = 6
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void poll_clock(void)
{
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec++;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

static void *work(void *unused)
{
    poll_clock();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    poll_clock();
    pthread_join(thread, NULL);
    return 0;
}
