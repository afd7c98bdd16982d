// expect: found with -DN=100 -DBAD, safe with -DN=4
// bound: 1 s of processor time
// N setters write two variables one after the other; a checker must not see the second without the first, or the first without the second.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

static atomic_int a, b;

static void *setter(void *arg) {
    a = 1;
    b = -1;
    return arg;
}

static void *checker(void *arg) {
#ifdef BAD
    int x = a, y = b;
    assert((x == 0 && y == 0) || (x == 1 && y == -1));
#else
    int y = b, x = a;
    assert(y == 0 || x == 1);
#endif
    return arg;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], 0, setter, 0);
    pthread_create(&threads[N], 0, checker, 0);
    for (int k = 0; k <= N; k++)
        pthread_join(threads[k], 0);
    return 0;
}
