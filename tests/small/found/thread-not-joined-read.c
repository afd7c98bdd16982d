// What a thread writes is read before it is joined.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>

int x;

static void *write_(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_create(&threads[0], NULL, write_, NULL);
    assert(x < 2);
    pthread_join(threads[0], NULL);
    return 0;
}
