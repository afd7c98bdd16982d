// Waiting for a pipe with epoll; with a time-out, which may pass first.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
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
    struct epoll_event event = { .events = EPOLLIN };
    int set = epoll_create1(0), first;
    assert(set >= 0 && pipe(ends) == 0);
    assert(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    first = epoll_wait(set, &event, 1, 100);
    assert(first == 0 || first == 1);
    assert(epoll_wait(set, &event, 1, -1) == 1 && (event.events & EPOLLIN));
    pthread_join(thread, NULL);
    return 0;
}
