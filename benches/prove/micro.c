// T threads count K times each, without a lock.
#include <assert.h>
#include <pthread.h>
#ifndef T
#define T 3
#endif
#ifndef K
#define K 3
#endif
int x;
void *count(void *unused) {
    for (int i = 0; i < K; i++) {
        int y = x;
        x = y + 1;
    }
    return unused;
}
int main(void) {
    pthread_t t[T];
    for (int i = 0; i < T; i++)
        pthread_create(&t[i], 0, count, 0);
    for (int i = 0; i < T; i++)
        pthread_join(t[i], 0);
#ifdef BAD
    assert(x > 2);
#else
    assert(x >= 2 && x <= T * K);
#endif
}
