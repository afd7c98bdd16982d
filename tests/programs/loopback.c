// A server and a client on one machine: listening, connecting, accepting, and a byte.
//
// heddle: verdict = safe
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;

static void *serve(void *unused)
{
    int client = accept(listener, NULL, NULL);
    assert(client >= 0);
    assert(write(client, "x", 1) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte = 0;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int client;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    assert(listen(listener, 1) == 0);
    assert(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    pthread_create(&thread, NULL, serve, NULL);
    client = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(client, (struct sockaddr *)&address, length) == 0);
    assert(read(client, &byte, 1) == 1 && byte == 'x');
    pthread_join(thread, NULL);
    return 0;
}
