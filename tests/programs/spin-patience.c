// A loop that looks three times and gives up is not one that waits: all that it can see must be tried.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static atomic_int gave_up;

static void *look_three_times(void *unused)
{
    for (int i = 0; i < 3; i++)
        if (atomic_load(&ready))
            return unused;
    atomic_store(&gave_up, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look_three_times, NULL);
    atomic_store(&ready, 1);
    pthread_join(thread, NULL);
    assert(!atomic_load(&gave_up)); // heddle: here
    return 0;
}
