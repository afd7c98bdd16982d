// N threads add one to a number under a lock, and one more doubles it. Without -DGOOD that one takes another lock.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 3
#endif
pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
int number;
void *add(void *argument) {
    pthread_mutex_lock(&right);
    int seen = number;
    number = seen + 1;
    assert(number == seen + 1);
    pthread_mutex_unlock(&right);
    return argument;
}
void *twice(void *argument) {
#ifdef GOOD
    pthread_mutex_t *lock = &right;
#else
    pthread_mutex_t *lock = &wrong;
#endif
    pthread_mutex_lock(lock);
    number = number * 2;
    pthread_mutex_unlock(lock);
    return argument;
}
int main(void) {
    pthread_t t[N + 1];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, add, 0);
    pthread_create(&t[N], 0, twice, 0);
    for (int i = 0; i <= N; i++)
        pthread_join(t[i], 0);
}
