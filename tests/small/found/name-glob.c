// A pattern matches a file that another thread makes.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *one(void *unused)
{
    close(creat("new-file", 0600));
    return unused;
}

static void *two(void *unused)
{
    glob_t found;
    assert(glob("new-f*", 0, NULL, &found) == GLOB_NOMATCH);
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
