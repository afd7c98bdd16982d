// expect: safe with -DN=3 -DM=3, found with -DN=3 -DM=3 -DBAD
// bound: 3 s of processor time
// N threads increase a counter M times without a lock; it never becomes larger than N * M, but it can become smaller.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef M
#define M 3
#endif

static volatile int x;

static void *count(void *arg) {
    for (int k = 0; k < M; k++) {
        int y = x;
        x = y + 1;
    }
    return arg;
}

int main(void) {
    pthread_t threads[N];
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], 0, count, 0);
    for (int k = 0; k < N; k++)
        pthread_join(threads[k], 0);
#ifdef BAD
    assert(x > 2);
#else
    assert(x <= N * M && x >= 2);
#endif
    return 0;
}
