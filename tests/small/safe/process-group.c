// The group and the session of the process are those of a program that a shell has started, the same each time.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused)
{
    assert(setpgid(0, 0) == 0);
    assert(setsid() == -1 && errno == EPERM);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(getpgrp() == getpid() && getpgid(0) == getpid());
    assert(getsid(0) == getppid());
    pthread_join(thread, NULL);
    return 0;
}
