// A thread that waits by reading a flag again and again, here with a hint to the scheduler. It either comes after the
// flag was set, or looks in vain, is recognised as waiting and goes on at the write: a few executions, not one for each
// number of looks.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static int data;

static void *wait_for_it(void *unused)
{
    while (!atomic_load(&ready))
        sched_yield();
    assert(data == 42);
    return unused;
}

int main(void)
{
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    data = 42;
    atomic_store(&ready, 1);
    pthread_join(waiter, NULL);
    return 0;
}
