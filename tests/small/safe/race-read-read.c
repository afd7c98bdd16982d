// Two that only read.
#include <assert.h>
#include <pthread.h>

static int n = 4;

static void *look(void *unused)
{
    assert(n == 4);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
