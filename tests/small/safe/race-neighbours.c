// Neighbouring bytes are different places.
#include <assert.h>
#include <pthread.h>

static char bytes[2];

static void *one(void *unused)
{
    bytes[0] = 1;
    return unused;
}

static void *two(void *unused)
{
    bytes[1] = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(bytes[0] + bytes[1] == 2);
    return 0;
}
