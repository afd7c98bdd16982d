// The working directory is the process's.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char where[4096];

static void *work(void *unused)
{
    assert(chdir("/") == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(getcwd(where, sizeof where));
    pthread_join(thread, NULL);
    assert(strcmp(where, "/") != 0); // heddle: here
    return 0;
}
