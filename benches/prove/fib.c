// Two threads add two numbers to each other, N times each, without a lock. BAD: the largest sum is taken for impossible.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 6
#endif
int i = 1, j = 1;
void *first(void *unused) {
    for (int k = 0; k < N; k++)
        i += j;
    return unused;
}
void *second(void *unused) {
    for (int k = 0; k < N; k++)
        j += i;
    return unused;
}
int main(void) {
    pthread_t a, b;
    int most = 1, before = 1;
    for (int k = 0; k < 2 * N; k++) {
        int sum = most + before;
        before = most;
        most = sum;
    }
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
#ifdef BAD
    assert(i < most && j < most);
#else
    assert(i <= most && j <= most);
#endif
}
