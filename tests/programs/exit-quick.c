// Handlers of quick_exit are registered by a thread, and run or not; those of exit do not run.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void at_exit(void)
{
    assert(!"not by quick_exit");
}

static void at_quick(void)
{
    assert(!"nobody waits for the thread"); // heddle: here
}

static void *work(void *unused)
{
    at_quick_exit(at_quick);
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(at_exit);
    pthread_create(&thread, NULL, work, NULL);
    quick_exit(0);
}
