// expect: safe, found with -DBAD
// bound: 0.5 s of processor time
// An index from outside into a table that another thread makes smaller. The bound is read under the mutex, or before it.
#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int table[16];
static unsigned length = 16;

static void *shrink(void *arg) {
    pthread_mutex_lock(&m);
    length = 8;
    for (int k = 8; k < 16; k++)
        table[k] = -1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *look(void *arg) {
    unsigned index = __VERIFIER_nondet_uint();
#ifdef BAD
    pthread_mutex_lock(&m);
    unsigned bound = length;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    if (index < bound)
        assert(table[index] != -1);
    pthread_mutex_unlock(&m);
#else
    pthread_mutex_lock(&m);
    if (index < length)
        assert(table[index] != -1);
    pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, shrink, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
