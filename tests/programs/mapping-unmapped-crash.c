// The same, where races are ignored: the write comes after the memory has gone.
//
// heddle: verdict = found
// heddle: kind = crash
// heddle: flags = --races ignore
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <pthread.h>
#include <sys/mman.h>

static char *memory;

static void *work(void *unused)
{
    munmap(memory, 4096);
    return unused;
}

int main(void)
{
    pthread_t thread;
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    pthread_create(&thread, NULL, work, NULL);
    memory[0] = 1; // heddle: here
    pthread_join(thread, NULL);
    return 0;
}
