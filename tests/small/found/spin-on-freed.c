// A thread waits in a loop for a flag in memory that another thread frees: whoever looks again uses it after that.
//
// heddle: kind = memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *flag;

static void *waits(void *unused)
{
    while (!atomic_load(flag))
        ;
    return unused;
}

int main(void)
{
    flag = calloc(1, sizeof *flag);
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    free(flag);
    pthread_join(thread, 0);
    return 0;
}
