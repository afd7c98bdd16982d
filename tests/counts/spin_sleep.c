// N threads that look SPINS times whether there is something, and sleep then, as semaphores of several libraries do; N others give. How often
// a thread has looked in vain is known to nobody, so its looks are one.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifndef SPINS
#define SPINS 1024
#endif

static atomic_int count[N];
static sem_t woken[N];

static void *take(void *which)
{
    long n = (long)which;
    int spin = SPINS;
    while (--spin >= 0) {
        int found = atomic_load(&count[n]);
        if (found > 0 && atomic_compare_exchange_strong(&count[n], &found, found - 1))
            return 0;
    }
    if (atomic_fetch_sub(&count[n], 1) <= 0)
        sem_wait(&woken[n]);
    return 0;
}

static void *give(void *which)
{
    long n = (long)which;
    if (atomic_fetch_add(&count[n], 1) < 0)
        sem_post(&woken[n]);
    return 0;
}

int main(void)
{
    pthread_t takers[N], givers[N];
    for (long n = 0; n < N; n++) {
        sem_init(&woken[n], 0, 0);
        pthread_create(&takers[n], 0, take, (void *)n);
        pthread_create(&givers[n], 0, give, (void *)n);
    }
    for (int n = 0; n < N; n++) {
        pthread_join(takers[n], 0);
        pthread_join(givers[n], 0);
    }
    return 0;
}
