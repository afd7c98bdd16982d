// Two threads install a block; the loser frees its own.
//
// heddle: flags = --leaks
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void *) installed;

static void *install(void *unused)
{
    void *none = NULL, *mine = malloc(10);
    if (!atomic_compare_exchange_strong(&installed, &none, mine))
        free(mine);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, install, NULL);
    pthread_create(&threads[1], NULL, install, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
