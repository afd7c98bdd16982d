// Threads that only read files, each by a descriptor of its own: one order is as good as any other.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int shared;

static void *work(void *unused)
{
    char text[4];
    struct stat status;
    int file = open("/etc/passwd", O_RDONLY);
    assert(file >= 0);
    assert(read(file, text, 4) == 4);
    assert(lseek(file, 0, SEEK_SET) == 0);
    assert(read(file, text, 4) == 4);
    assert(fstat(file, &status) == 0);
    assert(close(file) == 0);
    assert(stat("/etc/passwd", &status) == 0);
    assert(pread(shared, text, 4, 0) == 4);
    FILE *stream = fopen("/etc/passwd", "r");
    assert(fgetc(stream) != EOF);
    fclose(stream);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    shared = open("/etc/passwd", O_RDONLY);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
