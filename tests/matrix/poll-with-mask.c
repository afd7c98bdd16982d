// `ppoll` waits for another thread as `poll` does.
//
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pipe(ends) == 0);
    struct pollfd file = {ends[0], POLLIN, 0};
    pthread_create(&thread, NULL, send, NULL);
    assert(ppoll(&file, 1, NULL, NULL) == 1);
    pthread_join(thread, NULL);
    return 0;
}
