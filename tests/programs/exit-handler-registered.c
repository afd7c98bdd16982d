// A thread that nobody waits for registers an exit handler: it runs, or the process has exited before.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void at_exit(void)
{
    assert(!"nobody waits for the thread"); // heddle: here
}

static void *work(void *unused)
{
    atexit(at_exit);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
