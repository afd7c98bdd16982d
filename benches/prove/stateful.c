// Two threads add to two numbers, each under the lock, one number at a time.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int first, second, begin;
static void add(int *number, int value) {
    pthread_mutex_lock(&lock);
    *number += value;
    pthread_mutex_unlock(&lock);
}
void *one(void *argument) {
    add(&first, 1);
    add(&second, 1);
    return argument;
}
void *other(void *argument) {
    add(&first, 5);
    add(&second, -6);
    return argument;
}
int main(void) {
    pthread_t a, b;
    begin = __VERIFIER_nondet_int();
    first = begin;
    second = begin;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef BAD
    assert(first != begin + 6);
#else
    assert(first == begin + 6 && second == begin - 5);
#endif
}
