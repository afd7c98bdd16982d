// A thread has seen the lock free, fails to take it, and then finds a value with which it leaves the loop.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock; // 0 free, 1 taken, 2 closed
static atomic_int attempts;

static void *taker(void *unused)
{
    int tried = 0;
    for (;;) {
        int seen;
        while ((seen = atomic_load(&lock)) == 1)
            ;
        if (seen == 2)
            break;
        tried = 1;
        int expected = 0;
        if (atomic_compare_exchange_strong(&lock, &expected, 1)) {
            atomic_store(&lock, 0);
            return unused;
        }
    }
    atomic_store(&attempts, 1 + tried);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, taker, 0);
    int expected = 0;
    if (atomic_compare_exchange_strong(&lock, &expected, 1))
        atomic_store(&lock, 2);
    pthread_join(thread, 0);
    assert(atomic_load(&attempts) != 2); // It can have tried before it was closed.
    return 0;
}
