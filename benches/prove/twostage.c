// expect: safe with -DN=10, found with -DN=10 -DBAD and -DN=100 -DBAD
// bound: 0.5 s of processor time with 10 threads, 5 s with 100
// N threads set one variable and then another, each under its own mutex; a reader looks at both. The planted bug is a reader that
// takes the second for set when it has seen the first.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 10
#endif

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static int data1, data2;

static void *writer(void *arg) {
    pthread_mutex_lock(&m1);
    data1 = 1;
    pthread_mutex_unlock(&m1);
    pthread_mutex_lock(&m2);
    data2 = data1 + 1;
    pthread_mutex_unlock(&m2);
    return arg;
}

static void *reader(void *arg) {
    int t1, t2;
    pthread_mutex_lock(&m1);
    t1 = data1;
    pthread_mutex_unlock(&m1);
    if (t1 == 0)
        return arg;
    pthread_mutex_lock(&m2);
    t2 = data2;
    pthread_mutex_unlock(&m2);
#ifdef BAD
    assert(t2 == t1 + 1);
#else
    assert(t2 == 0 || t2 == t1 + 1);
#endif
    return arg;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int k = 0; k < N; k++)
        pthread_create(&threads[k], 0, writer, 0);
    pthread_create(&threads[N], 0, reader, 0);
    for (int k = 0; k <= N; k++)
        pthread_join(threads[k], 0);
    return 0;
}
