// A lock for readers and a writer, made of a mutex, a flag and a count. The last reader gives the flag back, but looks at the count
// after it has left the critical section. So two readers may both find that they were the last, and the second one gives back the
// flag of a writer; or neither does, and the flag is never given back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int busy, writing, readers;

static void acquire(void)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong(&busy, &expected, 1))
        expected = 0;
}

static void *write(void *unused)
{
    acquire();
    atomic_store(&writing, 1);
    atomic_store(&writing, 0);
    atomic_store(&busy, 0);
    return unused;
}

static void *read(void *unused)
{
    pthread_mutex_lock(&count_lock);
    if (atomic_fetch_add(&readers, 1) == 0)
        acquire();
    pthread_mutex_unlock(&count_lock);
    assert(atomic_load(&writing) == 0);
    pthread_mutex_lock(&count_lock);
    atomic_fetch_sub(&readers, 1);
    pthread_mutex_unlock(&count_lock);
    if (atomic_load(&readers) == 0)
        atomic_store(&busy, 0);
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, write, NULL);
    pthread_create(&threads[1], NULL, read, NULL);
    pthread_create(&threads[2], NULL, read, NULL);
    pthread_create(&threads[3], NULL, write, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
