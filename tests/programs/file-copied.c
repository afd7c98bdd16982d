// A copy of a file has what was written to it before.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <unistd.h>

static int from, to;
static char text[4];

static void *work(void *unused)
{
    pwrite(from, "b", 1, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    from = open("heddle-test-from", O_CREAT | O_RDWR, 0644);
    to = open("heddle-test-to", O_CREAT | O_RDWR, 0644);
    assert(pwrite(from, "a", 1, 0) == 1);
    pthread_create(&thread, NULL, work, NULL);
    off_t start = 0;
    assert(sendfile(to, from, &start, 1) == 1);
    pthread_join(thread, NULL);
    assert(pread(to, text, 1, 0) == 1);
    assert(text[0] == 'a'); // heddle: here
    return 0;
}
