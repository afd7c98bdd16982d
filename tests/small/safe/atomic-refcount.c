// The last one out frees.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int users = 2;
static int *block;

static void *leave(void *unused)
{
    *block >= 0 ? (void)0 : (void)0;
    if (atomic_fetch_sub(&users, 1) == 1)
        free(block);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    block = calloc(1, sizeof *block);
    pthread_create(&threads[0], NULL, leave, NULL);
    pthread_create(&threads[1], NULL, leave, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
