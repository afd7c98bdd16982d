// Room for a file is made by one thread and measured by another after a join: in every execution.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static int file;
static struct stat status;

static void *work(void *unused)
{
    assert(posix_fallocate(file, 0, 4096) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    file = open("heddle-test-allocated", O_CREAT | O_RDWR, 0644);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(fstat(file, &status) == 0 && status.st_size == 4096);
    return 0;
}
