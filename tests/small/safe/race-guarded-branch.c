// A branch that is taken only when it is safe.
#include <pthread.h>
#include <stdatomic.h>

static int x;
static atomic_int done;

static void *one(void *unused)
{
    x = 1;
    done = 1;
    return unused;
}

static void *two(void *unused)
{
    if (done)
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
