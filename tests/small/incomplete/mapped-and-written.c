// A file is mapped and written to by calls.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static int file;

static void *set(void *unused)
{
    int one = 1;
    pwrite(file, &one, sizeof one, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    file = open("mapped", O_CREAT | O_RDWR | O_TRUNC, 0600);
    ftruncate(file, 4096);
    atomic_int *number = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&thread, NULL, set, NULL);
    int seen = *number;
    (void)seen;
    pthread_join(thread, NULL);
}
