// Nobody writes any more, and the end to write at is open: the reader waits for ever.
//
// heddle: verdict = found
// heddle: kind = deadlock
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused)
{
    char byte;
    while (read(ends[0], &byte, 1) == 1) // heddle: here
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, reader, NULL);
    assert(write(ends[1], "x", 1) == 1);
    pthread_join(thread, NULL); // heddle: here
    return 0;
}
