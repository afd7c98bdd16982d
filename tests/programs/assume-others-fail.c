// An assumption that never holds stops its own thread only: what another one does wrong before it is real.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stddef.h>

static void *never(void *unused)
{
    heddle_assume(0);
    return unused;
}

static void *wrong(void *unused)
{
    assert(unused != NULL); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, never, NULL);
    pthread_create(&two, NULL, wrong, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
