// fork by the number of its system call: the child has what was written before.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int value;

static void *one(void *unused)
{
    value = 1;
    return unused;
}

static void *two(void *unused)
{
    int status;
    pid_t child = syscall(SYS_fork);
    if (child == 0) _exit(value);
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
