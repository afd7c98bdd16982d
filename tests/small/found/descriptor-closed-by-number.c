// A descriptor is closed by number while another thread reads from it.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int file;

static void *work(void *unused)
{
    syscall(SYS_close, file);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    file = open("/etc/passwd", O_RDONLY);
    pthread_create(&thread, NULL, work, NULL);
    int length = read(file, &byte, 1);
    pthread_join(thread, NULL);
    assert(length == 1);
    return 0;
}
