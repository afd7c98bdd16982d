// An atomic in memory whose contents another thread throws away.
//
// heddle: kind = data-race
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static _Atomic int *page;

static void *one(void *unused)
{
    madvise((void *)page, 4096, MADV_DONTNEED);
    return unused;
}

static void *two(void *unused)
{
    assert(*page == 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 1;
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
