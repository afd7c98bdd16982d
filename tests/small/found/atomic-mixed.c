// One access is atomic, the other is not.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x;

static void *one(void *unused)
{
    __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);
    return unused;
}

static void *two(void *unused)
{
    assert(x < 2);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
