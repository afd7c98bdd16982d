// A handler that is registered before the `fork` runs.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int prepared;

static void prepare(void)
{
    prepared = 1;
}

static void *work(void *unused)
{
    pthread_atfork(prepare, NULL, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    int before = prepared;
    waitpid(child, NULL, 0);
    pthread_join(thread, NULL);
    assert(!before); // heddle: here
    return 0;
}
