// N chefs take two of three tools, counted by semaphores; an input says with which they begin. With -DFREE the lower one is taken first.
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 3
#endif
extern int __VERIFIER_nondet_int(void);
sem_t tool[3];
int id[N], begin[N];
void *cook(void *argument) {
    int i = *(int *)argument, a = i % 3, b = (i + 1) % 3;
    int swap = begin[i] < 0;
#ifdef FREE
    swap = a > b;
#endif
    if (swap) {
        int other = a;
        a = b;
        b = other;
    }
    sem_wait(&tool[a]);
    sem_wait(&tool[b]);
    sem_post(&tool[b]);
    sem_post(&tool[a]);
    return argument;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < 3; i++)
        sem_init(&tool[i], 0, 1);
    for (int i = 0; i < N; i++) {
        id[i] = i;
        begin[i] = __VERIFIER_nondet_int();
    }
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, cook, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
}
