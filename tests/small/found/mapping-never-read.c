// Memory is unmapped that nobody has accessed before.
//
// heddle: kind = data-race
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static int *page;
int got;

static void *one(void *unused)
{
    munmap(page, 4096);
    return unused;
}

static void *two(void *unused)
{
    got = page[3];
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
