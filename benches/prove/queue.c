// One thread puts N inputs into a queue, one takes them: in the same order. BAD: the place is counted before it is filled.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 4
#endif
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int items[N], given[N], head, tail;
void *put(void *unused) {
    for (int i = 0; i < N; i++) {
        int value = __VERIFIER_nondet_int();
        given[i] = value;
        pthread_mutex_lock(&lock);
#ifdef BAD
        int place = tail++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        items[place] = value;
#else
        items[tail++] = value;
#endif
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
void *take(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        if (head < tail) {
            assert(items[head] == given[head]);
            head++;
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
