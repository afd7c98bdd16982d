// The same by the number of the system call; and who makes a file gets what the mask leaves.
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
#include <sys/syscall.h>
#include <unistd.h>

static struct stat status;

static void *work(void *unused)
{
    syscall(SYS_umask, 077);
    return unused;
}

int main(void)
{
    pthread_t thread;
    umask(0);
    pthread_create(&thread, NULL, work, NULL);
    close(open("heddle-test-mask", O_CREAT | O_RDWR, 0666));
    pthread_join(thread, NULL);
    assert(stat("heddle-test-mask", &status) == 0);
    assert((status.st_mode & 0777) == 0666); // heddle: here
    return 0;
}
