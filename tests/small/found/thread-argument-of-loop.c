// All threads get the address of the loop's own variable, an atomic one.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int seen[3];

static void *work(void *argument)
{
    seen[atomic_load((atomic_int *)argument)]++;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    atomic_int i;
    for (i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &i);
    for (int j = 0; j < 2; j++)
        pthread_join(threads[j], NULL);
    assert(seen[0] == 1 && seen[1] == 1);
    return 0;
}
