// A thread closes its descriptor twice. If another thread opens a file in between, that one is closed.
//
// heddle: kind = assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *twice(void *unused)
{
    int file = open("/dev/zero", O_RDONLY);
    close(file);
    close(file);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    pthread_create(&thread, NULL, twice, NULL);
    int file = open("/etc/passwd", O_RDONLY);
    assert(read(file, &byte, 1) == 1);
    close(file);
    pthread_join(thread, NULL);
}
