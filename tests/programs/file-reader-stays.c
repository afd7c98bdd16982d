// A file on disk that was opened to read before it is first written to: the reader sees what is written.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 3
// heddle: count = 2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static char name[] = __FILE__;

static void *change(void *unused)
{
    int file = open(name, O_WRONLY);
    assert(file >= 0);
    assert(pwrite(file, "#", 1, 0) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    int file = open(name, O_RDONLY);
    assert(file >= 0);
    pthread_create(&thread, NULL, change, NULL);
    assert(pread(file, &byte, 1, 0) == 1);
    assert(byte == '/'); // heddle: here
    pthread_join(thread, NULL);
    return 0;
}
