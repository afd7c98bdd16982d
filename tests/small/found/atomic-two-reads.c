// Two reads of one variable may differ.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *write_(void *unused)
{
    x = 1;
    return unused;
}

static void *read_(void *unused)
{
    int first = x, second = x;
    assert(first == second);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, write_, NULL);
    pthread_create(&threads[1], NULL, read_, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
