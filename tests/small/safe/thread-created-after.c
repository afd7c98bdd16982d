// What is written before the creation is seen.
#include <assert.h>
#include <pthread.h>

static int x;

static void *read_(void *unused)
{
    assert(x == 3);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    x = 3;
    pthread_create(&threads[0], NULL, read_, NULL);
    pthread_create(&threads[1], NULL, read_, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
