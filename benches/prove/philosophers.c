// N philosophers. With -DFREE the last one takes the forks in the other order.
#include <pthread.h>
#ifndef N
#define N 100
#endif
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t fork_[N];
int id[N], eaten[N];
void *dine(void *argument) {
    int i = *(int *)argument, first = i, second = (i + 1) % N;
#ifdef FREE
    if (i == N - 1) {
        first = 0;
        second = i;
    }
#endif
    pthread_mutex_lock(&fork_[first]);
    pthread_mutex_lock(&fork_[second]);
    eaten[i]++;
    pthread_mutex_unlock(&fork_[second]);
    pthread_mutex_unlock(&fork_[first]);
    return argument;
}
int main(void) {
    pthread_t t[N];
    int meals = __VERIFIER_nondet_int();
    for (int i = 0; i < N; i++) {
        id[i] = i;
        eaten[i] = meals;
        pthread_mutex_init(&fork_[i], 0);
    }
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, dine, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
}
