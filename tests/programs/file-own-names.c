// Two threads make a file each, and write to it: the names are made in either order, what they write does not matter to the other.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *work(void *name)
{
    int file = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    char byte;
    assert(file >= 0);
    for (int i = 0; i < 3; i++)
        assert(write(file, name, 1) == 1);
    assert(pread(file, &byte, 1, 2) == 1);
    assert(byte == *(char *)name);
    close(file);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, "a-heddle-test");
    pthread_create(&two, NULL, work, "b-heddle-test");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
