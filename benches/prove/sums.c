// N threads add an input each to a sum, under a lock. BAD: for one input, one thread adds something else.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 6
#endif
extern unsigned __VERIFIER_nondet_uint(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned sum, x[N];
int id[N];
void *add(void *argument) {
    int i = *(int *)argument;
    pthread_mutex_lock(&lock);
#ifdef BAD
    sum += x[i] + (i == N / 2 && x[i] == 305419896);
#else
    sum += x[i];
#endif
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t t[N];
    unsigned all = 0;
    for (int i = 0; i < N; i++) {
        id[i] = i;
        x[i] = __VERIFIER_nondet_uint();
        all += x[i];
    }
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, add, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    assert(sum == all);
}
