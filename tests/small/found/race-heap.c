// A block of the heap whose address was given away.
//
// heddle: kind = data-race
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument)
{
    ((int *)argument)[3] = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int *block = calloc(4, sizeof *block);
    pthread_create(&thread, NULL, work, block);
    int seen = block[3];
    pthread_join(thread, NULL);
    free(block);
    return seen > 1;
}
