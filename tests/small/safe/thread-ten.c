// Ten threads that have nothing to do with each other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int x[10];
static atomic_int next;

static void *work(void *unused)
{
    x[atomic_fetch_add(&next, 0)] += 0;
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    assert(x[0] == 0);
    return 0;
}
