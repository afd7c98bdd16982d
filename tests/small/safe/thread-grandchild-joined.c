// A thread is joined by somebody else than its maker.
#include <assert.h>
#include <pthread.h>

static pthread_t child;
static int x;

static void *inner(void *unused)
{
    x = 1;
    return unused;
}

static void *outer(void *unused)
{
    pthread_create(&child, NULL, inner, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, outer, NULL);
    pthread_join(thread, NULL);
    pthread_join(child, NULL);
    assert(x == 1);
    return 0;
}
