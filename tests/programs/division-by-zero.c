// A division by what another thread has not set yet.
//
// heddle: verdict = found
// heddle: kind = crash
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int share;

static void *set(void *unused)
{
    atomic_store(&share, 4);
    return unused;
}

static void *divide(void *unused)
{
    volatile int parts = atomic_load(&share);
    volatile int part = 100 / parts; // heddle: here
    (void)part;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, set, NULL);
    pthread_create(&two, NULL, divide, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
