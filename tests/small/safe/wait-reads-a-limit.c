// A loop that waits for a lock compares with a limit in memory. Whoever has the lock writes memory, and so do threads without it.
//
// heddle: flags = --races ignore
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int lock;
static int limit, guarded, unguarded;

static void acquire(void)
{
    int tries = 0;
    while (atomic_exchange(&lock, 1))
        if (++tries >= limit)
            tries = 0;
}

static void *add(void *unused)
{
    acquire();
    guarded++;
    atomic_store(&lock, 0);
    unguarded++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    unguarded++;
    acquire();
    guarded++;
    atomic_store(&lock, 0);
    pthread_join(thread, NULL);
    return guarded - 2;
}
