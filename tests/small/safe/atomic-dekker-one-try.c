// Whoever sees the other gives up.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
static int n;

static void *one(void *unused)
{
    wants[0] = 1;
    if (!wants[1])
        n++;
    wants[0] = 0;
    return unused;
}

static void *two(void *unused)
{
    wants[1] = 1;
    if (!wants[0])
        n++;
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
