// A lock made of an assumption inside a function that runs as one step, as verification tasks have it: executions in which it
// is taken while somebody holds it are none.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

extern void __VERIFIER_assume(int);

static int m, inside;

void __VERIFIER_atomic_acquire(void)
{
    __VERIFIER_assume(m == 0);
    m = 1;
}

void __VERIFIER_atomic_release(void)
{
    assert(m == 1);
    m = 0;
}

static void *worker(void *unused)
{
    __VERIFIER_atomic_acquire();
    inside++;
    assert(inside == 1);
    inside--;
    __VERIFIER_atomic_release();
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
