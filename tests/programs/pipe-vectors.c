// `pwritev2` wakes who waits in `preadv2`.
//
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    struct iovec part = {"ab", 2};
    assert(pwritev2(ends[1], &part, 1, -1, 0) == 2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[2];
    struct iovec part = {text, 2};
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, send, NULL);
    assert(preadv2(ends[0], &part, 1, -1, 0) == 2 && text[1] == 'b');
    pthread_join(thread, NULL);
    return 0;
}
