// Sleeping does not make it safe.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int x;

static void *late(void *unused)
{
    usleep(1000);
    x = 2;
    return unused;
}

static void *early(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, late, NULL);
    pthread_create(&threads[1], NULL, early, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 2);
    return 0;
}
