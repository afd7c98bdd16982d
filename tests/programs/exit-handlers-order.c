// Two threads register a handler each: the last that is registered runs first.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int ran;

static void one(void)
{
    ran = 1;
}

static void two(int status, void *unused)
{
    assert(status == 0 && !unused);
    assert(ran == 1); // heddle: here
}

static void *register_one(void *unused)
{
    atexit(one);
    return unused;
}

static void *register_two(void *unused)
{
    on_exit(two, NULL);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, register_one, NULL);
    pthread_create(&threads[1], NULL, register_two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
