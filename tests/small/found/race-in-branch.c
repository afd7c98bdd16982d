// A race in a branch that only one order takes.
//
// heddle: kind = data-race
#include <pthread.h>
#include <stdatomic.h>

int x;
static atomic_int go;

static void *one(void *unused)
{
    go = 1;
    x = 1;
    return unused;
}

static void *two(void *unused)
{
    if (go)
        x = 2;
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
