// N transfers in a circle, each of an input between two accounts. With -DFREE the account with the lower number is locked first.
#include <pthread.h>
#ifndef N
#define N 3
#endif
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t lock[N];
int id[N], amount[N];
long balance[N];
void *transfer(void *argument) {
    int i = *(int *)argument, from = i, to = (i + 1) % N, first = from, second = to;
#ifdef FREE
    if (first > second) {
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&lock[first]);
    pthread_mutex_lock(&lock[second]);
    if (balance[from] >= amount[i]) {
        balance[from] -= amount[i];
        balance[to] += amount[i];
    }
    pthread_mutex_unlock(&lock[second]);
    pthread_mutex_unlock(&lock[first]);
    return argument;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        id[i] = i;
        amount[i] = __VERIFIER_nondet_int();
        balance[i] = 100;
        pthread_mutex_init(&lock[i], 0);
    }
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, transfer, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
}
