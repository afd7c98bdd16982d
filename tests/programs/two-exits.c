// Two threads call exit at once, each with a status of its own, and an exit handler lets the other one go on in between. The status and
// the place of the end are those of the thread that ends the process.
//
// heddle: flags = --exit-status ignore
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int x;

static void handler(void)
{
    x++;
}

static void *six(void *unused)
{
    puts("six");
    exit(6);
    return unused;
}

static void *seven(void *unused)
{
    puts("seven");
    exit(7);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    atexit(handler);
    pthread_create(&threads[0], NULL, six, NULL);
    pthread_create(&threads[1], NULL, seven, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
