// The task of a future on the stack of its owner says last that the value is there.
#include <pthread.h>
#include <stdatomic.h>

struct future {
    int value;
    int uses;
    atomic_int ready;
};

static void *task(void *argument)
{
    struct future *future = argument;
    future->value = 42;
    future->uses++;
    atomic_store(&future->ready, 1);
    return NULL;
}

static int ask(void)
{
    struct future future = {0, 0, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, task, &future);
    pthread_detach(thread);
    while (!atomic_load(&future.ready))
        ;
    return future.value;
}

int main(void)
{
    return ask() - 42;
}
