// N threads take a lock made of an exchange, once each. An attempt that fails is no execution of its own.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int count;

static void *work(void *unused)
{
    while (atomic_exchange(&lock, 1))
        ;
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
