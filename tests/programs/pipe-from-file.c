// `sendfile` into a pipe wakes who reads from it, and so do `pwritev2` and `preadv2`.
//
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    int file = open("/dev/zero", O_RDONLY);
    struct iovec part = {"ab", 2};
    assert(sendfile(ends[1], file, NULL, 0) == 0);
    assert(pwritev2(ends[1], &part, 1, -1, 0) == 2);
    close(file);
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
