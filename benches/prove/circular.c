// A ring of N places: one thread sends inputs, another receives them. With -DBAD the receiver does not look whether there is anything.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 4
#endif
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ring[N], sent[N], first, next, count;
void *send(void *argument) {
    for (int i = 0; i < N; i++) {
        int value = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        sent[i] = value;
        ring[next] = value;
        next = (next + 1) % N;
        count++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
void *receive(void *argument) {
    int got = 0;
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
#ifdef BAD
        if (i < N) {
#else
        if (count > 0) {
#endif
            assert(ring[first] == sent[got]);
            first = (first + 1) % N;
            got++;
            count--;
            assert(count >= 0);
        }
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, send, 0);
    pthread_create(&b, 0, receive, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
