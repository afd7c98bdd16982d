// <threads.h>: a mutex, a condition variable, an initialisation, an attempt.
// heddle: outcome = 0 1 1
// heddle: outcome = 1 1 1
// heddle: outcome = 0 2 1
// heddle: outcome = 1 2 1
#include <stdio.h>
#include <threads.h>
static mtx_t lock;
static cnd_t go;
static once_flag once = ONCE_FLAG_INIT;
static int ready, waited, first, got;
static thread_local int me_here;
static void begin(void) { first = me_here; }
static int waiter(void *unused) {
    (void)unused;
    me_here = 1;
    call_once(&once, begin);
    mtx_lock(&lock);
    while (!ready) {
        waited = 1;
        cnd_wait(&go, &lock);
    }
    mtx_unlock(&lock);
    return 7;
}
static int caller(void *unused) {
    (void)unused;
    me_here = 2;
    call_once(&once, begin);
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&go);
    mtx_unlock(&lock);
    return 0;
}
int main(void) {
    thrd_t a, b;
    mtx_init(&lock, mtx_plain);
    cnd_init(&go);
    thrd_create(&a, waiter, 0);
    thrd_create(&b, caller, 0);
    thrd_join(a, &got);
    thrd_join(b, 0);
    printf("%d %d %d\n", waited, first, got == 7);
}
