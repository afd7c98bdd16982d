// The same, by the number of the system call.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int file, length;
static char text[8];

static void *work(void *unused)
{
    close(syscall(SYS_open, "heddle-test-raw", O_WRONLY | O_TRUNC, 0));
    return unused;
}

int main(void)
{
    pthread_t thread;
    file = open("heddle-test-raw", O_CREAT | O_RDWR | O_TRUNC, 0644);
    assert(write(file, "hello", 5) == 5);
    pthread_create(&thread, NULL, work, NULL);
    length = pread(file, text, 5, 0);
    pthread_join(thread, NULL);
    assert(length == 5); // heddle: here
    return 0;
}
