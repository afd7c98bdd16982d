// After a join it is later, by every clock.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static struct timespec its, mine;

static void *work(void *unused)
{
    clock_gettime(CLOCK_REALTIME, &its);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_REALTIME, &mine);
    assert(its.tv_sec < mine.tv_sec || (its.tv_sec == mine.tv_sec && its.tv_nsec < mine.tv_nsec));
    return 0;
}
