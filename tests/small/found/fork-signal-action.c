// A child inherits what signals do.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *one(void *unused)
{
    signal(SIGUSR1, SIG_IGN);
    return unused;
}

static void *two(void *unused)
{
    int status;
    pid_t child = fork();
    if (child == 0) _exit(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
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
    return 0;
}
