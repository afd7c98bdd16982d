// Memory that another thread reads becomes inaccessible.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: more = yes
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <pthread.h>
#include <sys/mman.h>

static int seen;

static char *memory;

static void *work(void *unused)
{
    mprotect(memory, 4096, PROT_NONE);
    return unused;
}

int main(void)
{
    pthread_t thread;
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    pthread_create(&thread, NULL, work, NULL);
    seen = memory[0];
    pthread_join(thread, NULL);
    assert(seen == 0);
    return 0;
}
