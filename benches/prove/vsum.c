// expect: safe with -DN=6, found with -DN=10 -DBAD
// bound: 1 s of processor time
// N threads add inputs under a mutex; the sum is that of the inputs in every order. The planted bug is one input in four thousand million.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 6
#endif

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned input[N], sum;

static void *add(void *arg) {
    int k = (int)(long)arg;
    pthread_mutex_lock(&m);
    sum += input[k];
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    unsigned expected = 0;
    (void)expected;
    for (int k = 0; k < N; k++) {
        input[k] = __VERIFIER_nondet_uint();
        expected += input[k];
    }
    for (long k = 0; k < N; k++)
        pthread_create(&threads[k], 0, add, (void *)k);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], 0);
#ifdef BAD
    assert(sum != 123456789u);
#else
    assert(sum == expected);
#endif
    return 0;
}
