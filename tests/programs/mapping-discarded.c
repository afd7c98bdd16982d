// Contents are thrown away while another thread writes.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: more = yes
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <pthread.h>
#include <sys/mman.h>

static char *memory;

static void *work(void *unused)
{
    madvise(memory, 4096, MADV_DONTNEED);
    return unused;
}

int main(void)
{
    pthread_t thread;
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    pthread_create(&thread, NULL, work, NULL);
    memory[8] = 1;
    pthread_join(thread, NULL);
    return 0;
}
