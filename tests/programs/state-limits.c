// The limits are the process's.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/resource.h>

static struct rlimit seen;

static void *work(void *unused)
{
    struct rlimit limit = {100, 100};
    setrlimit(RLIMIT_NOFILE, &limit);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    getrlimit(RLIMIT_NOFILE, &seen);
    pthread_join(thread, NULL);
    assert(seen.rlim_cur != 100); // heddle: here
    return 0;
}
