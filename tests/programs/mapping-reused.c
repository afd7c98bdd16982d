// One thread unmaps memory, and another gets the same address: nobody races, since the kernel knows the order.
//
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <pthread.h>
#include <sys/mman.h>

static char *memory;

static void *work(void *unused)
{
    char *mine = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mine[0] = 1;
    munmap(mine, 4096);
    return unused;
}

int main(void)
{
    pthread_t thread;
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
