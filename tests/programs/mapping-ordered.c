// Memory is unmapped by who was waited for, and mapped again by others: nothing that was accessed before counts.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <pthread.h>
#include <sys/mman.h>

static char *memory;

static void *work(void *unused)
{
    memory[1] = 2;
    munmap(memory, 4096);
    return unused;
}

int main(void)
{
    pthread_t thread;
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    memory[0] = 1;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    memory = mmap(memory, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert(memory[1] == 0);
    return 0;
}
