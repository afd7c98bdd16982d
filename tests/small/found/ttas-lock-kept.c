// A thread ends with a test-and-test-and-set lock: the other waits for ever, whether it has seen the lock free before or not.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static void *keeps(void *unused)
{
    for (;;) {
        while (atomic_load(&lock))
            ;
        if (!atomic_exchange(&lock, 1))
            return unused;
    }
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, keeps, 0);
    pthread_create(&other, 0, keeps, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
