// Whoever tries a mutex can tell that a thread that polls under it holds it, time and again: its rounds have an effect.
//
// heddle: kind = assertion
// heddle: flags = --max-steps 40
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static void *poller(void *x) {
    for (;;) { pthread_mutex_lock(&m); int r = ready; pthread_mutex_unlock(&m); if (r) break; }
    return x;
}
#define FAIL if (pthread_mutex_trylock(&m) == 0) { pthread_mutex_unlock(&m); goto out; }
#define GET if (pthread_mutex_trylock(&m) != 0) goto out; pthread_mutex_unlock(&m);
int main(void) {
    pthread_t t; pthread_create(&t, 0, poller, 0);
    FAIL GET FAIL GET FAIL GET FAIL GET
    assert(0);
out:
    pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
