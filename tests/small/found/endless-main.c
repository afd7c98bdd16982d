// The main thread creates threads for ever. The bug is in the first operation of the first of them: a bound stops the main thread, and
// the others go on.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int ready = 1;

static void *first(void *unused)
{
    assert(ready == 0); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, NULL, first, NULL);
}
