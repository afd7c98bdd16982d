// A pipe with a name that another thread makes.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/stat.h>

static void *one(void *unused)
{
    mknod("new-pipe", S_IFIFO | 0600, 0);
    return unused;
}

static void *two(void *unused)
{
    struct stat status;
    assert(lstat("new-pipe", &status) != 0);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
