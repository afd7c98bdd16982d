// Looks at limits and priorities commute.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

static void *work(void *unused)
{
    struct rlimit seen;
    assert(prlimit(0, RLIMIT_STACK, NULL, &seen) == 0);
    errno = 0;
    assert(getpriority(PRIO_PROCESS, 0) != -1 || errno == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    struct rlimit seen;
    getrlimit(RLIMIT_STACK, &seen);
    pthread_join(thread, NULL);
    return 0;
}
