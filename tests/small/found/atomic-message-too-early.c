// A flag that is set before the value.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int value;
static atomic_int ready;

static void *send(void *unused)
{
    ready = 1;
    value = 5;
    return unused;
}

static void *receive(void *unused)
{
    if (ready)
        assert(value == 5 || value == 0);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, send, NULL);
    pthread_create(&threads[1], NULL, receive, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
