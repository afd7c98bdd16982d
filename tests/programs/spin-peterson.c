// Peterson's lock: the loop reads two places, and waits for a write to either.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

// Not static: clang 19 at -O2 takes a static that only one function uses for that function's own, and drops `turn`.
atomic_int wants[2], turn;
static int count;

static void *work(void *argument)
{
    int me = argument != NULL, other = 1 - me;
    atomic_store(&wants[me], 1);
    atomic_store(&turn, other);
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
        ;
    count++;
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    static int second;
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, &second);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(count == 2);
    return 0;
}
