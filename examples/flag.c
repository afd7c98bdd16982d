// A home-made lock out of an atomic flag: look whether it is free, then take it.
//
// Every access is atomic, and still the looking and the taking are two steps: both threads can look before either
// takes. (Who finds it taken goes away, so there is nothing to spin on.)
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 32
// heddle: count = 18
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken;
static atomic_int inside;

static void *visit(void *unused)
{
    if (atomic_load(&taken) == 0) {
        atomic_store(&taken, 1);
        int others = atomic_fetch_add(&inside, 1);
        assert(others == 0); // heddle: here
        atomic_fetch_sub(&inside, 1);
        atomic_store(&taken, 0);
    }
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, visit, NULL);
    pthread_create(&two, NULL, visit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
