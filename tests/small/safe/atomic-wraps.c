// An atomic byte wraps around.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic unsigned char a = 255;

static void *add(void *unused)
{
    a++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(a == 1);
    return 0;
}
