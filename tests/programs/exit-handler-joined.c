// An exit handler of a thread that is waited for runs in every execution.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int registered;

static void at_exit(void)
{
    assert(registered);
}

static void *work(void *unused)
{
    registered = 1;
    atexit(at_exit);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
