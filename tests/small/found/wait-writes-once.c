// A loop that waits says so in a variable. The first round changes it, later ones do not.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static int waited;

static void *wait(void *unused)
{
    while (!atomic_load(&ready))
        waited = 1;
    assert(!waited);
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
