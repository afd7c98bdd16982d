// A thread registers an exit handler while main returns: it runs, or not.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void at_exit(void)
{
    assert(!"registered in time"); // heddle: here
}

static void *add(void *unused)
{
    atexit(at_exit);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    return 0;
}
