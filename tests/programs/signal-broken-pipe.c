// Who writes to a pipe that nobody reads any more is sent SIGPIPE, which ends the process. In one order the reader is still there.
//
// heddle: verdict = found
// heddle: kind = crash
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused)
{
    close(ends[0]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, reader, NULL);
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(thread, NULL);
    close(ends[1]);
    return 0;
}
