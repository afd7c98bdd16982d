// A thread that changes its rounding changes nobody else's.
//
// heddle: verdict = safe
// heddle: executions = 2
// heddle: flags = -lm -frounding-math
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;
static volatile double third = 3;

static void *up(void *unused)
{
    fesetround(FE_UPWARD);
    turn++;
    assert(1 / third > 0.33333333333333331);
    return unused;
}

static void *nearest(void *unused)
{
    turn++;
    assert(1 / third == 0.33333333333333331);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, up, NULL);
    pthread_create(&threads[1], NULL, nearest, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return fegetround() != FE_TONEAREST;
}
