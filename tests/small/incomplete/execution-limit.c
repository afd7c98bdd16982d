// More executions than were asked for.
//
// heddle: flags = --max-executions 5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *count(void *unused)
{
    x++;
    x++;
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, count, NULL);
    pthread_create(&threads[2], NULL, count, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    assert(x == 6);
    return 0;
}
