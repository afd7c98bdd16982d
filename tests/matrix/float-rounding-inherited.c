// A thread begins with the floating-point environment of its creator.
//
// heddle: verdict = safe
// heddle: flags = -lm
#include <assert.h>
#include <fenv.h>
#include <pthread.h>

static void *look(void *unused)
{
    assert(fegetround() == FE_UPWARD);
    return unused;
}

int main(void)
{
    pthread_t thread;
    fesetround(FE_UPWARD);
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    return 0;
}
