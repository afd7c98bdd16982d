// Two threads exit: the status is of the one that ends the process.
//
// heddle: kind = failed
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static void *one(void *unused)
{
    exit(0);
    return unused;
}

static void *two(void *unused)
{
    exit(7);
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
