// A thread writes to a descriptor that it has closed. If another thread opens a file in between, that one is written to.
//
// heddle: kind = assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *late(void *unused)
{
    int file = open("one", O_CREAT | O_WRONLY, 0600);
    close(file);
    write(file, "x", 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int file = open("two", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    close(file);
    pthread_create(&thread, NULL, late, NULL);
    file = open("two", O_RDWR);
    pthread_join(thread, NULL);
    assert(lseek(file, 0, SEEK_END) == 0);
}
