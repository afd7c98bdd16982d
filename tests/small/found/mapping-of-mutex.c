// A mutex in memory that another thread unmaps.
//
// heddle: kind = data-race
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static pthread_mutex_t *page;

static void *one(void *unused)
{
    pthread_mutex_lock(page);
    pthread_mutex_unlock(page);
    return unused;
}

static void *two(void *unused)
{
    munmap(page, 4096);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_mutex_init(page, NULL);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
