// The mode of a directory depends on the umask that another thread sets.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/stat.h>

static void *one(void *unused)
{
    umask(077);
    return unused;
}

static void *two(void *unused)
{
    struct stat status;
    mkdir("new-directory", 0777);
    stat("new-directory", &status);
    assert((status.st_mode & 077) == 055);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    umask(022);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
