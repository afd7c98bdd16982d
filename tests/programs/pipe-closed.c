// The end to write at is closed: the reader sees that there is no more.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused)
{
    char byte;
    while (read(ends[0], &byte, 1) == 1)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, reader, NULL);
    assert(write(ends[1], "x", 1) == 1);
    assert(close(ends[1]) == 0);
    pthread_join(thread, NULL);
    return 0;
}
