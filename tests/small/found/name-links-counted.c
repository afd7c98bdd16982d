// How many names a file has depends on when another thread gives it one more.
//
// heddle: kind = assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *add(void *unused)
{
    link("one", "another");
    return unused;
}

int main(void)
{
    struct stat status;
    unlink("another");
    int file = open("one", O_CREAT | O_RDWR, 0600);
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    fstat(file, &status);
    assert(status.st_nlink == 1);
    pthread_join(thread, NULL);
}
