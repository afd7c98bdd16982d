// Samples prove nothing.
//
// heddle: flags = --algorithm few --max-executions 20
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *count(void *unused)
{
    x++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, count, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 2);
    return 0;
}
