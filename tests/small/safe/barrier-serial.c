// Exactly one is told that it was the serial one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static int x[2];
#include <stdatomic.h>
static atomic_int serial;

static void *come(void *unused)
{
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, come, NULL);
    pthread_create(&threads[1], NULL, come, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(serial == 1);
    return 0;
}
