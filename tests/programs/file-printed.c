// Standard output was made a file, which another thread measures.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct stat status;

static void *work(void *unused)
{
    printf("hello");
    fflush(stdout);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(freopen("heddle-test-printed", "w+", stdout));
    setvbuf(stdout, NULL, _IOFBF, 4096);
    pthread_create(&thread, NULL, work, NULL);
    assert(fstat(STDOUT_FILENO, &status) == 0);
    pthread_join(thread, NULL);
    assert(status.st_size == 0); // heddle: here
    return 0;
}
