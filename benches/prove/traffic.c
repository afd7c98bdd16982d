// N cars at a crossing of N quarters; each drives over its own and, if the input says so, the next. With -DFREE one enters at a time.
#include <pthread.h>
#ifndef N
#define N 3
#endif
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t quarter[N], crossing = PTHREAD_MUTEX_INITIALIZER;
int id[N], turns[N], passed;
void *drive(void *argument) {
    int i = *(int *)argument;
#ifdef FREE
    pthread_mutex_lock(&crossing);
#endif
    pthread_mutex_lock(&quarter[i]);
    if (turns[i] != 7) {
        pthread_mutex_lock(&quarter[(i + 1) % N]);
        pthread_mutex_unlock(&quarter[(i + 1) % N]);
    }
    pthread_mutex_unlock(&quarter[i]);
#ifdef FREE
    passed++;
    pthread_mutex_unlock(&crossing);
#endif
    return argument;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        id[i] = i;
        turns[i] = __VERIFIER_nondet_int();
        pthread_mutex_init(&quarter[i], 0);
    }
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, drive, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
}
