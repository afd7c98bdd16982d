// `ppoll` waits as `poll` does: the other thread writes, and then it goes on.
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
    struct pollfd file = { ends[0], POLLIN, 0 };
    assert(ppoll(&file, 1, NULL, NULL) == 1 && file.revents == POLLIN);
    pthread_join(thread, NULL);
    return 0;
}
