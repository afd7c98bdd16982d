// The first to be done frees what the second still uses.
//
// heddle: kind = memory
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *use(void *unused)
{
    pthread_mutex_lock(&m);
    (*block)++;
    if (*block == 1)
        free(block);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    block = calloc(1, sizeof *block);
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
