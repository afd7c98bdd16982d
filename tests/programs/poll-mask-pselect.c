// `pselect` waits as `poll` does: the other thread writes, and then it goes on.
//
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused)
{
    assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    fd_set files;
    FD_ZERO(&files);
    FD_SET(ends[0], &files);
    sigset_t none;
    sigemptyset(&none);
    assert(pselect(ends[0] + 1, &files, NULL, NULL, NULL, &none) == 1 && FD_ISSET(ends[0], &files));
    pthread_join(thread, NULL);
    return 0;
}
