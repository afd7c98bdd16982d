// A time-out of a socket is the kernel's, and real: it would be waited for in vain.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>

static void *work(void *unused)
{
    int ends[2];
    struct timeval second = {.tv_sec = 1};
    char byte;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second); // heddle: here
    recv(ends[0], &byte, 1, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
