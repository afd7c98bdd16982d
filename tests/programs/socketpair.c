// A question and an answer over a pair of sockets.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *server(void *unused)
{
    int number = 0;
    assert(recv(ends[1], &number, sizeof number, 0) == sizeof number);
    number *= 2;
    assert(send(ends[1], &number, sizeof number, 0) == sizeof number);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int number = 21;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, server, NULL);
    assert(write(ends[0], &number, sizeof number) == sizeof number);
    assert(read(ends[0], &number, sizeof number) == sizeof number);
    assert(number == 42);
    pthread_join(thread, NULL);
    return 0;
}
