// One thread waits for whatever is watched, another one says later what that is: the first goes on.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <unistd.h>

static int watcher, ends[2];

static void *adds(void *unused)
{
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = ends[0]};
    assert(epoll_ctl(watcher, EPOLL_CTL_ADD, ends[0], &wanted) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct epoll_event event;
    assert(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    watcher = epoll_create1(0);
    pthread_create(&thread, NULL, adds, NULL);
    assert(epoll_wait(watcher, &event, 1, -1) == 1 && event.data.fd == ends[0]);
    pthread_join(thread, NULL);
    return 0;
}
