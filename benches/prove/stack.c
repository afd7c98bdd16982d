// One thread pushes N inputs, one pops as many. BAD: whether there is one is asked without the lock, by two who pop.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 4
#endif
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int items[N], top;
void *push(void *unused) {
    for (int i = 0; i < N; i++) {
        int value = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        assert(top < N);
        items[top++] = value;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
void *pop(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
#ifdef BAD
        int some = top > 0;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        if (some || i == N - 1) {
#else
        if (top > 0) {
#endif
            top--;
            assert(top >= 0);
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, pop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
