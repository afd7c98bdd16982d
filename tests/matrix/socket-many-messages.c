// `sendmmsg` wakes who waits in `recvmmsg`, which waits for as many messages as it was asked for.
//
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

static int ends[2];

static void describe(struct mmsghdr *messages, struct iovec *parts, char (*text)[2], int count)
{
    memset(messages, 0, count * sizeof *messages);
    for (int i = 0; i < count; i++) {
        parts[i] = (struct iovec){text[i], 2};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
}

static void *send_both(void *unused)
{
    char text[2][2] = {"ab", "cd"};
    struct iovec parts[2];
    struct mmsghdr messages[2];
    describe(messages, parts, text, 2);
    assert(sendmmsg(ends[1], messages, 2, 0) == 2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[2][2];
    struct iovec parts[2];
    struct mmsghdr messages[2];
    assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
    pthread_create(&thread, NULL, send_both, NULL);
    describe(messages, parts, text, 2);
    assert(recvmmsg(ends[0], messages, 2, 0, NULL) == 2);
    assert(messages[1].msg_len == 2 && text[0][0] == 'a' && text[1][0] == 'c');
    pthread_join(thread, NULL);
    return 0;
}
