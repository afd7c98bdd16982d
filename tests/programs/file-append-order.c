// Two threads append to one file, and main reads it back: either may come first.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;

static void *append(void *byte)
{
    assert(write(file, byte, 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    char text[3] = "";
    file = open("heddle-test-append", O_RDWR | O_CREAT | O_APPEND, 0600);
    assert(file >= 0);
    assert(lseek(file, 0, SEEK_END) == 0);
    pthread_create(&one, NULL, append, "a");
    pthread_create(&two, NULL, append, "b");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(pread(file, text, 2, 0) == 2);
    assert(text[0] == 'a' && text[1] == 'b'); // heddle: here
    return 0;
}
