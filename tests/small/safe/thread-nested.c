// A thread makes and joins another.
#include <assert.h>
#include <pthread.h>

static int x;

static void *inner(void *unused)
{
    x = 1;
    return unused;
}

static void *outer(void *unused)
{
    pthread_t thread;
    pthread_create(&thread, NULL, inner, NULL);
    pthread_join(thread, NULL);
    assert(x == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, outer, NULL);
    pthread_join(thread, NULL);
    return 0;
}
