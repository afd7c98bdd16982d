// N threads set two numbers, and one sees them half set.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 100
#endif
int a, b;
void *set(void *unused) {
    a = 1;
    b = -1;
    return unused;
}
void *check(void *unused) {
    int x = a, y = b;
    assert((x == 0 && y == 0) || (x == 1 && y == -1));
    return unused;
}
int main(void) {
    pthread_t t[N], c;
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, set, 0);
    pthread_create(&c, 0, check, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    pthread_join(c, 0);
}
