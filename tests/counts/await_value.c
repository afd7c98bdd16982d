// A thread waits for the last of K values that another stores. Looks that find another value are no executions of their own.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value;

static void *work(void *unused)
{
    while (atomic_load(&value) != K)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (int i = 1; i <= K; i++)
        atomic_store(&value, i);
    pthread_join(thread, 0);
    return 0;
}
