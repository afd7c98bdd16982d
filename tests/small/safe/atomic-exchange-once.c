// Only one of two gets the old value.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *take(void *unused)
{
    if (atomic_exchange(&x, 1) == 0)
        y++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, take, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(y == 1);
    return 0;
}
