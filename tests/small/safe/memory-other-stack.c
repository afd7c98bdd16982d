// The stack of a thread that waits may be written to by others.
#include <assert.h>
#include <pthread.h>

static void *work(void *argument)
{
    *(int *)argument = 5;
    return NULL;
}

static void *outer(void *unused)
{
    pthread_t thread;
    int local = 0;
    pthread_create(&thread, NULL, work, &local);
    pthread_join(thread, NULL);
    assert(local == 5);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, outer, NULL);
    pthread_join(thread, NULL);
    return 0;
}
