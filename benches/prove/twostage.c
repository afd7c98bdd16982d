// N writers set two numbers in two stages, under two locks; a reader compares them. BAD: the second lock is not taken within the first.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 10
#endif
pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
int x, y;
void *writer(void *unused) {
    pthread_mutex_lock(&one);
    x = 1;
#ifdef BAD
    pthread_mutex_unlock(&one);
#endif
    pthread_mutex_lock(&two);
    y = 2;
    pthread_mutex_unlock(&two);
#ifndef BAD
    pthread_mutex_unlock(&one);
#endif
    return unused;
}
void *reader(void *unused) {
    pthread_mutex_lock(&one);
    int a = x;
#ifdef BAD
    pthread_mutex_unlock(&one);
#endif
    pthread_mutex_lock(&two);
    int b = y;
    pthread_mutex_unlock(&two);
#ifndef BAD
    pthread_mutex_unlock(&one);
#endif
    assert(a == 0 || b == a + 1);
    return unused;
}
int main(void) {
    pthread_t t[N], r;
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    pthread_join(r, 0);
}
