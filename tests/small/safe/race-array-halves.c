// Each thread has its own part of an array.
#include <assert.h>
#include <pthread.h>

static int a[4];

static void *one(void *unused)
{
    for (int i = 0; i < 2; i++)
        a[i]++;
    return unused;
}

static void *two(void *unused)
{
    for (int i = 2; i < 4; i++)
        a[i]++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(a[0] + a[3] == 2);
    return 0;
}
