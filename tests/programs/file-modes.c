// Modes of a file that one thread changes and another looks at, by name and by descriptor.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static struct statx status;

static void *work(void *unused)
{
    chmod("heddle-test-modes", 0600);
    return unused;
}

int main(void)
{
    pthread_t thread;
    close(open("heddle-test-modes", O_CREAT | O_RDWR, 0644));
    pthread_create(&thread, NULL, work, NULL);
    statx(AT_FDCWD, "heddle-test-modes", 0, STATX_MODE, &status);
    pthread_join(thread, NULL);
    assert((status.stx_mode & 0777) == 0644); // heddle: here
    return 0;
}
