// A thread waits for a plain flag in a loop: it is let go when the flag is written, and only then.
//
// heddle: verdict = safe
// heddle: executions = 2
// heddle: flags = --races ignore -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int ready;
static int data;

static void *producer(void *unused)
{
    data = 42;
    ready = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    while (!ready)
        ;
    assert(data == 42);
    pthread_join(thread, NULL);
    return 0;
}
