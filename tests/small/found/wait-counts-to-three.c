// A loop that waits counts its first three rounds in memory. Only what comes after them is nothing but waiting.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static int tries;

static void *wait(void *unused)
{
    while (!atomic_load(&ready))
        tries = tries < 3 ? tries + 1 : tries;
    assert(tries != 3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    atomic_store(&ready, 1);
    pthread_join(thread, NULL);
    return 0;
}
