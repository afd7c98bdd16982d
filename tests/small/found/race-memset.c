// Filled by memset while it is read.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <string.h>

char bytes[64];

static void *one(void *unused)
{
    memset(bytes, 1, 64);
    return unused;
}

static void *two(void *unused)
{
    assert(bytes[40] < 2);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
