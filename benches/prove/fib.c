// expect: safe with -DN=6, found with -DN=6 -DBAD
// bound: 1 s of processor time each
// Two threads add each other's variable N times; the largest value that one of them can have is a Fibonacci number.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 6
#endif

static int i = 1, j = 1;

static void *one(void *arg) {
    for (int k = 0; k < N; k++)
        i += j;
    return arg;
}

static void *two(void *arg) {
    for (int k = 0; k < N; k++)
        j += i;
    return arg;
}

int main(void) {
    pthread_t a, b;
    int largest = 1, before = 1;
    for (int k = 0; k < 2 * N; k++) {
        int next = largest + before;
        before = largest;
        largest = next;
    }
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    int x = i, y = j;
#ifdef BAD
    assert(x < largest && y < largest);
#else
    assert(x <= largest && y <= largest);
#endif
    return 0;
}
