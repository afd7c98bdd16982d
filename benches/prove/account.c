// expect: safe, found with -DBAD
// bound: 1 s of processor time
// A deposit and a withdrawal of inputs under a mutex; the balance is checked by a third thread after both.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z, balance, deposited, withdrawn;

static void *deposit(void *arg) {
    pthread_mutex_lock(&m);
    balance = balance + y;
    deposited = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *withdraw(void *arg) {
    pthread_mutex_lock(&m);
    balance = balance - z;
    withdrawn = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *check(void *arg) {
    pthread_mutex_lock(&m);
#ifdef BAD
    if (deposited || withdrawn)
#else
    if (deposited && withdrawn)
#endif
        assert(balance == x + y - z);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    x = __VERIFIER_nondet_int() & 0xffff;
    y = __VERIFIER_nondet_int() & 0xffff;
    z = __VERIFIER_nondet_int() & 0xffff;
    balance = x;
    pthread_create(&a, 0, check, 0);
    pthread_create(&b, 0, deposit, 0);
    pthread_create(&c, 0, withdraw, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
