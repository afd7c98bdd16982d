// Standard output is led into a file while another thread prints.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

static void *move(void *unused)
{
    return freopen("printed", "w", stdout) ? unused : NULL;
}

int main(void)
{
    pthread_t thread;
    struct stat status;
    pthread_create(&thread, NULL, move, NULL);
    printf("hello\n");
    fflush(stdout);
    pthread_join(thread, NULL);
    stat("printed", &status);
    assert(status.st_size == 0);
}
