// Atomics in slots of a thread's stack that calls of the thread library have used before.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void fill(void)
{
    _Atomic short places[300];
    for (int i = 0; i < 300; i++)
        atomic_store_explicit(&places[i], 0, memory_order_relaxed);
}

static void *run(void *unused)
{
    (void)unused;
    take();
    fill();
    take();
    fill();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
