// `creat` truncates a file that another thread reads.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file, length;
static char text[8];

static void *work(void *unused)
{
    close(creat("heddle-test-creat", 0644));
    return unused;
}

int main(void)
{
    pthread_t thread;
    file = open("heddle-test-creat", O_CREAT | O_RDWR | O_TRUNC, 0644);
    assert(write(file, "hello", 5) == 5);
    pthread_create(&thread, NULL, work, NULL);
    length = pread(file, text, 5, 0);
    pthread_join(thread, NULL);
    assert(length == 5); // heddle: here
    return 0;
}
