// A block is freed while another thread may be about to look into it. The race of the two is ignored as asked; what it leads to is not:
// freeing is a place to switch as well, once a race has shown that somebody else uses the block.
//
// heddle: verdict = found
// heddle: kind = memory
// heddle: flags = --races ignore
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *reader(void *unused)
{
    int *seen = atomic_load(&shared);
    assert(*seen == 1 || *seen == 2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int *old = malloc(sizeof *old), *new = malloc(sizeof *new);
    *old = 1;
    *new = 2;
    atomic_store(&shared, old);
    pthread_create(&thread, NULL, reader, NULL);
    atomic_store(&shared, new);
    free(old);
    pthread_join(thread, NULL);
    free(new);
    return 0;
}
