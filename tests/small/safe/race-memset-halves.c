// Two halves of an array are filled.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char bytes[64];

static void *one(void *unused)
{
    memset(bytes, 1, 32);
    return unused;
}

static void *two(void *unused)
{
    memset(bytes + 32, 1, 32);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(bytes[0] + bytes[63] == 2);
    return 0;
}
