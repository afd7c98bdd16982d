// N users want a printer and a scanner; those with an odd number want the scanner first if the input says so. With -DFREE nobody does.
#include <pthread.h>
#ifndef N
#define N 3
#endif
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t printer = PTHREAD_MUTEX_INITIALIZER, scanner = PTHREAD_MUTEX_INITIALIZER;
int id[N], hurry[N], pages;
void *work(void *argument) {
    int i = *(int *)argument;
#ifndef FREE
    if (i % 2 == 1 && hurry[i] == 4711) {
        pthread_mutex_lock(&scanner);
        pthread_mutex_lock(&printer);
        pages++;
        pthread_mutex_unlock(&printer);
        pthread_mutex_unlock(&scanner);
        return argument;
    }
#endif
    pthread_mutex_lock(&printer);
    pthread_mutex_lock(&scanner);
    pages += hurry[i] > 0;
    pthread_mutex_unlock(&scanner);
    pthread_mutex_unlock(&printer);
    return argument;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        id[i] = i;
        hurry[i] = __VERIFIER_nondet_int();
    }
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, work, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
}
