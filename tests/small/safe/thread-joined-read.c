// What a thread writes is read after it is joined.
#include <assert.h>
#include <pthread.h>

static int x;

static void *write_(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_create(&threads[0], NULL, write_, NULL);
    pthread_join(threads[0], NULL);
    assert(x == 1);
    return 0;
}
