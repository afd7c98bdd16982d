// A child writes to a pipe that a thread reads from: no deadlock, although nobody in the program will write.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

static void *take(void *unused)
{
    char byte;
    assert(read(ends[0], &byte, 1) == 1);
    assert(byte == 'x');
    return unused;
}

int main(void)
{
    pthread_t thread;
    int status;
    assert(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        usleep(20000);
        _exit(write(ends[1], "x", 1) != 1);
    }
    pthread_create(&thread, NULL, take, NULL);
    assert(waitpid(child, &status, 0) == child);
    assert(status == 0);
    pthread_join(thread, NULL);
    return 0;
}
