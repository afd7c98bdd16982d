// Two threads wait for main and for each other while main returns: waits and the end of the process in every order.
//
// heddle: verdict = safe
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;

static void *wait_first(void *unused)
{
    while (!first)
        ;
    second = 1;
    return unused;
}

static void *wait_second(void *unused)
{
    while (!second)
        ;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait_first, NULL);
    pthread_create(&threads[1], NULL, wait_second, NULL);
    first = 1;
    return 0;
}
