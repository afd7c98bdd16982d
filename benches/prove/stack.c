// expect: safe with -DN=4, found with -DN=4 -DBAD
// bound: 2 s of processor time
// One thread pushes N inputs, another pops; both under a mutex. The planted bug looks at the length outside of it.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 4
#endif

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int cells[N], length, flag;

static void *push(void *arg) {
    for (int k = 0; k < N; k++) {
        int value = __VERIFIER_nondet_int();
        pthread_mutex_lock(&m);
        assert(length < N);
        cells[length] = value;
        length++;
        flag = 1;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *pop(void *arg) {
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&m);
#ifdef BAD
        if (flag) {
#else
        if (length > 0) {
#endif
            assert(length > 0);
            length--;
            (void)cells[length];
        }
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, pop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
