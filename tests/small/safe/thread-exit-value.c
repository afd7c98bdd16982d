// The value of pthread_exit arrives, from any depth.
#include <assert.h>
#include <pthread.h>

static int answer = 42;

static void deep(int depth)
{
    if (depth == 0)
        pthread_exit(&answer);
    deep(depth - 1);
}

static void *work(void *unused)
{
    deep(5);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    assert(*(int *)result == 42);
    return 0;
}
