// Cleanup handlers run in reverse order at pthread_exit.
#include <assert.h>
#include <pthread.h>

static int order;

static void first(void *unused)
{
    (void)unused;
    order = order * 10 + 1;
}

static void second(void *unused)
{
    (void)unused;
    order = order * 10 + 2;
}

static void *work(void *unused)
{
    pthread_cleanup_push(first, NULL);
    pthread_cleanup_push(second, NULL);
    pthread_exit(unused);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(order == 21);
    return 0;
}
