// `openat2` creates a file, as `open` does.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *create(void *unused)
{
    struct open_how how = {.flags = O_CREAT | O_RDWR, .mode = 0600};
    close(syscall(SYS_openat2, AT_FDCWD, "created", &how, sizeof how));
    return unused;
}

int main(void)
{
    pthread_t thread;
    unlink("created");
    pthread_create(&thread, NULL, create, NULL);
    assert(access("created", F_OK) != 0);
    pthread_join(thread, NULL);
}
