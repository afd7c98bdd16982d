// The value that a thread waits for comes and goes. Whoever sees it may still see what comes after it.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy = 1, late;

static void *await(void *unused)
{
    while (busy)
        ;
    assert(late == 0); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, await, NULL);
    busy = 0;
    late = 1;
    busy = 2;
    return 0;
}
