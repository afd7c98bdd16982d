// More is written than a pipe holds: the writer waits in the middle of it, and goes on when the reader has taken some.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static char sent[100000], received[100000];

static void *reader(void *unused)
{
    size_t done = 0;
    while (done < sizeof received) {
        ssize_t now = read(ends[0], received + done, sizeof received - done);
        assert(now > 0);
        done += (size_t)now;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, reader, NULL);
    assert(write(ends[1], sent, sizeof sent) == (ssize_t)sizeof sent);
    pthread_join(thread, NULL);
}
