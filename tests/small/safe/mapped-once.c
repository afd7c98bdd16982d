// Memory that is mapped to be shared and has one address is like other memory; the file is closed and mapped no more.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_int *number;

static void *add(void *unused)
{
    ++*number;
    return unused;
}

int main(void)
{
    pthread_t thread;
    int file = memfd_create("shared", 0);
    ftruncate(file, 4096);
    number = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&thread, NULL, add, NULL);
    close(file);
    ++*number;
    pthread_join(thread, NULL);
    assert(*number == 2);
}
