// A thread registers a handler for quick_exit() while another one calls that.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void never(void)
{
    assert(0);
}

static void *one(void *unused)
{
    at_quick_exit(never);
    return unused;
}

static void *two(void *unused)
{
    quick_exit(0);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
