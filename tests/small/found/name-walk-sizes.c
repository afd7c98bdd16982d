// A walk over a directory is told the size of a file that another thread writes to.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static long size;

static int visit(const char *name, const struct stat *status, int kind, struct FTW *where)
{
    (void)name, (void)where;
    if (kind == FTW_F)
        size = status->st_size;
    return 0;
}

static void *grow(void *unused)
{
    int file = open("walked/file", O_WRONLY);
    write(file, "abc", 3);
    close(file);
    return unused;
}

int main(void)
{
    pthread_t thread;
    mkdir("walked", 0700);
    close(open("walked/file", O_CREAT | O_RDWR | O_TRUNC, 0600));
    pthread_create(&thread, NULL, grow, NULL);
    nftw("walked", visit, 4, FTW_PHYS);
    assert(size == 0);
    pthread_join(thread, NULL);
}
