// Each thread raises its own flag and looks at the other's: at least one of them sees the other.
//
// This is the core of Dekker's and Peterson's algorithms. Under sequential consistency, which is what Heddle explores
// and what `atomic_store` and `atomic_load` promise, both reading 0 would need a circle in time. Of the four
// combinations of "who was first at x" and "who was first at y" three can happen.
//
// heddle: verdict = safe
// heddle: executions = 3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static int saw_x, saw_y;

static void *left(void *unused)
{
    atomic_store(&x, 1);
    saw_y = atomic_load(&y);
    return unused;
}

static void *right(void *unused)
{
    atomic_store(&y, 1);
    saw_x = atomic_load(&x);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, left, NULL);
    pthread_create(&two, NULL, right, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(saw_x || saw_y);
    return 0;
}
