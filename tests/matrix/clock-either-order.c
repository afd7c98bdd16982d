// Two threads look at the clock: either may be the later one.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <time.h>

static struct timespec theirs, mine;

static void *look(void *unused)
{
    clock_gettime(CLOCK_MONOTONIC, &theirs);
    return unused;
}

static long nanoseconds(struct timespec time)
{
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    clock_gettime(CLOCK_MONOTONIC, &mine);
    pthread_join(thread, NULL);
    assert(nanoseconds(theirs) <= nanoseconds(mine)); // heddle: here
    return 0;
}
