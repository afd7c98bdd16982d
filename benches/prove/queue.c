// expect: safe with -DN=4, found with -DN=4 -DBAD
// bound: 2 s of processor time
// One thread puts N inputs into a queue, another takes them out and compares. The planted bug goes on when the queue is empty.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 4
#endif

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int cells[N], stored[N], head, tail;

static void *put(void *arg) {
    for (int k = 0; k < N; k++) {
        int value = __VERIFIER_nondet_int();
        pthread_mutex_lock(&m);
        cells[tail] = value;
        stored[tail] = value;
        tail++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *take(void *arg) {
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&m);
#ifndef BAD
        if (head < tail)
#endif
        {
            assert(head < tail);
            assert(cells[head] == stored[head]);
            head++;
        }
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
