// A thread uses and closes a descriptor that another has opened for it: numbers are used again, and nobody mixes them up.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *use(void *handed)
{
    char byte;
    int file = *(int *)handed;
    assert(read(file, &byte, 1) == 1);
    assert(close(file) == 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int first = open("/dev/zero", O_RDONLY), second;
    pthread_create(&thread, NULL, use, &first);
    second = open("/dev/zero", O_RDONLY);
    char byte;
    assert(second != first || read(second, &byte, 1) == 1);
    assert(close(second) == 0);
    pthread_join(thread, NULL);
}
