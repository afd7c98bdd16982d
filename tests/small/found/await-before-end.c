// A thread that waits in a loop may get through late, just before the process ends.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy = 1, late;

static void *work(void *unused)
{
    while (busy)
        ;
    assert(late == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    busy = 0;
    late = 1;
    busy = 2;
    return 0;
}
