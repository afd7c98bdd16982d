// A child runs the exit handlers that were registered before it was made.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void other(void)
{
    _exit(9);
}

static void *one(void *unused)
{
    atexit(other);
    return unused;
}

static void *two(void *unused)
{
    int status;
    pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, &status, 0);
    assert(WEXITSTATUS(status) == 0);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    _exit(0);
    return 0;
}
