// expect: safe, found with -DBAD
// bound: 0.5 s of processor time
// Two threads compute the same product of an input; a third value is compared with it. The planted bug needs one input and one order.
#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static unsigned x, p, q;
static int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg) {
    pthread_mutex_lock(&m);
    p = x * x;
    ready++;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *two(void *arg) {
    pthread_mutex_lock(&m);
    q = x * x;
#ifdef BAD
    if (ready == 1 && x == 1234)
        q = 0;
#endif
    ready++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    x = __VERIFIER_nondet_uint();
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(p == q);
    return 0;
}
