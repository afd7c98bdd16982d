// putenv() and getenv() of two threads.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *one(void *unused)
{
    putenv("HEDDLE_TEST=1");
    return unused;
}

static void *two(void *unused)
{
    assert(!getenv("HEDDLE_TEST"));
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
