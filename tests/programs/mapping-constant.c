// Memory that others only read becomes read-only, and advice about speed changes nothing.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <pthread.h>
#include <sys/mman.h>

static int seen[2];

static char *memory;

static void *work(void *unused)
{
    mprotect(memory, 4096, PROT_READ);
    madvise(memory, 4096, MADV_WILLNEED);
    seen[0] = memory[0];
    return unused;
}

int main(void)
{
    pthread_t thread;
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    pthread_create(&thread, NULL, work, NULL);
    seen[1] = memory[0];
    pthread_join(thread, NULL);
    assert(seen[0] + seen[1] == 0);
    return 0;
}
