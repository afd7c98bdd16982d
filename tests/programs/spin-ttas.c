// A lock that looks before it tries.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int locked;
static int count;

static void *work(void *unused)
{
    do {
        while (atomic_load(&locked))
            ;
    } while (atomic_exchange(&locked, 1));
    count++;
    atomic_store(&locked, 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(count == 2);
    return 0;
}
