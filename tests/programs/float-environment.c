// The floating-point environment belongs to a thread, and a new one inherits it: rounding, and the exceptions that were raised,
// of vector instructions and of the old floating-point unit.
//
// heddle: verdict = safe
// heddle: flags = -lm -frounding-math
#include <assert.h>
#include <fenv.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long double zero;

static void pass(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *upward(void *unused)
{
    assert(fegetround() == FE_UPWARD);
    pass();
    assert(fegetround() == FE_UPWARD && !fetestexcept(FE_DIVBYZERO));
    volatile long double infinite = 1 / zero;
    (void)infinite;
    assert(fetestexcept(FE_DIVBYZERO));
    pass();
    assert(fetestexcept(FE_DIVBYZERO));
    return unused;
}

static void *downward(void *unused)
{
    assert(fegetround() == FE_UPWARD);
    fesetround(FE_DOWNWARD);
    pass();
    assert(fegetround() == FE_DOWNWARD && !fetestexcept(FE_DIVBYZERO));
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    fesetround(FE_UPWARD);
    pthread_create(&threads[0], NULL, upward, NULL);
    pthread_create(&threads[1], NULL, downward, NULL);
    fesetround(FE_TOWARDZERO);
    pass();
    assert(fegetround() == FE_TOWARDZERO && !fetestexcept(FE_DIVBYZERO));
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(fegetround() == FE_TOWARDZERO && !fetestexcept(FE_DIVBYZERO));
    return 0;
}
