// Which one is the serial one is not decided.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int x[2];

static void *one(void *unused)
{
    x[0] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    return unused;
}

static void *two(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x[0] == 1);
    return 0;
}
