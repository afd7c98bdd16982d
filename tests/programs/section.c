// Two threads, each with one section that reads and writes: nothing comes in between, so no update is lost, and the plain
// accesses inside are no race.
//
// heddle: verdict = safe
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stddef.h>

static int counter;

static void *increment(void *unused)
{
    heddle_atomic_begin();
    int before = counter;
    heddle_atomic_begin();
    counter = before + 1;
    heddle_atomic_end();
    heddle_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, increment, NULL);
    pthread_create(&two, NULL, increment, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(counter == 2);
    return 0;
}
