// Two threads compute the same product of an input.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int n, p, q;
void *compute(void *unused) {
    p = (n + 3) * n;
    return unused;
}
int main(void) {
    pthread_t t;
    n = __VERIFIER_nondet_int();
    pthread_create(&t, 0, compute, 0);
    q = n * (n + 3);
    pthread_join(t, 0);
#ifdef BAD
    assert(p == q && n != 1234567);
#else
    assert(p == q);
#endif
}
