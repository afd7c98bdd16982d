// A thread that has seen the lock free and fails to take it gives up when it sees the lock taken: it never waits.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static void *tries(void *unused)
{
    for (;;) {
        if (atomic_load(&lock))
            return unused;
        if (!atomic_exchange(&lock, 1))
            return unused;
    }
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, tries, 0);
    pthread_create(&other, 0, tries, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
