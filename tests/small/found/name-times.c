// The time of a file that another thread sets.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *one(void *unused)
{
    struct timespec times[2] = { { 5, 0 }, { 5, 0 } };
    utimensat(AT_FDCWD, "some-file", times, 0);
    return unused;
}

static void *two(void *unused)
{
    struct stat status;
    stat("some-file", &status);
    assert(status.st_mtime != 5);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    close(creat("some-file", 0600));
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
