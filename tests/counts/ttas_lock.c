// N threads take a test-and-test-and-set lock, once each. An attempt that fails is no execution of its own, but a load that found the lock free
// before others took it is: the k-th thread to take it has found it free at one of k times, which makes (N!)^2.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int count;

static void *work(void *unused)
{
    for (;;) {
        while (atomic_load(&lock))
            ;
        if (!atomic_exchange(&lock, 1))
            break;
    }
    count++;
    atomic_store(&lock, 0);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return count != N;
}
