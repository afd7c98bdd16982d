// Two threads wait by looking for each other.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *one(void *unused)
{
    while (!y)
        ;
    x = 1;
    return unused;
}

static void *two(void *unused)
{
    while (!x)
        ;
    y = 1;
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
