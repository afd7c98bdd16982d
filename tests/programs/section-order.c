// Sections run as one step, but in any order: the assertion fails in one of two.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stddef.h>

static int x = 1;

static void *doubles(void *unused)
{
    heddle_atomic_begin();
    x *= 2;
    heddle_atomic_end();
    return unused;
}

static void *adds(void *unused)
{
    heddle_atomic_begin();
    x += 1;
    heddle_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, doubles, NULL);
    pthread_create(&two, NULL, adds, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(x == 3); // heddle: here
    return 0;
}
