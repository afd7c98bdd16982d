// A file that was opened before main: every execution begins where it was then, and writes to a copy.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;

__attribute__((constructor)) static void before(void)
{
    char byte;
    file = open(__FILE__, O_RDWR);
    if (read(file, &byte, 1) != 1)
        file = -1;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    char text[3] = "";
    assert(file >= 0);
    assert(read(file, text, 2) == 2);
    assert(strcmp(text, "/ ") == 0);
    assert(write(file, "changed", 7) == 7);
    assert(lseek(file, 0, SEEK_CUR) == 10);
    int again = open(__FILE__, O_RDONLY);
    assert(again >= 0);
    assert(lseek(again, 3, SEEK_SET) == 3);
    assert(read(again, text, 2) == 2);
    assert(strcmp(text, "ch") == 0);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
