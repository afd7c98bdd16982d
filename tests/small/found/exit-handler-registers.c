// A handler registers another one, which runs next.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int value;

static void inner(void)
{
    assert(value != 2);
}

static void outer(void)
{
    atexit(inner);
}

static void write(void)
{
    value = 2;
}

static void *one(void *unused)
{
    atexit(outer);
    return unused;
}

static void *two(void *unused)
{
    atexit(write);
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
