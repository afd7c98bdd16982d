// A home-made lock out of an atomic flag: look and take in one step.
//
// The same as flag.c with an exchange, which looks and takes at once. Four executions: either thread comes first, and
// the other one comes while it is inside (and goes away) or after it has left.
//
// heddle: verdict = safe
// heddle: executions = 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken;
static atomic_int inside;

static void *visit(void *unused)
{
    if (atomic_exchange(&taken, 1) == 0) {
        int others = atomic_fetch_add(&inside, 1);
        assert(others == 0);
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
