// One memory at two addresses: that the two atomics are one is not seen, so nothing is proved.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_int *one, *other;

static void *set(void *unused)
{
    *other = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    int file = memfd_create("shared", 0);
    ftruncate(file, 4096);
    one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&thread, NULL, set, NULL);
    int seen = *one;
    (void)seen;
    pthread_join(thread, NULL);
}
