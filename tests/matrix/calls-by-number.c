// Calls that wait for others, made by their numbers: they are the same as the functions.
//
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];

static void *send_one(void *unused)
{
    assert(syscall(SYS_sendto, ends[1], "x", 1, 0, NULL, 0) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char letter;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    struct pollfd file = {ends[0], POLLIN, 0};
    pthread_create(&thread, NULL, send_one, NULL);
    assert(syscall(SYS_ppoll, &file, 1, NULL, NULL, 8) == 1);
    assert(syscall(SYS_read, ends[0], &letter, 1) == 1 && letter == 'x');
    pthread_join(thread, NULL);
    return 0;
}
