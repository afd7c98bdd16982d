// Peterson's lock, taken for ever by two threads.
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int wants[2], turn, inside;
static const char *const names[2] = {"first", "second"};
static void *competitor(void *argument) {
    int me = (int)(long)argument, other = 1 - me;
    for (;;) {
#ifdef BAD
        atomic_store(&turn, other);
        atomic_store(&wants[me], 1);
#else
        atomic_store(&wants[me], 1);
        atomic_store(&turn, other);
#endif
        while (atomic_load(&wants[other]) && atomic_load(&turn) == other) {}
        heddle_prop(names[me], 1);
#ifndef FORMULA
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
#endif
        heddle_prop(names[me], 0);
        atomic_store(&wants[me], 0);
    }
}
int main(void) {
    pthread_t one;
    pthread_create(&one, 0, competitor, (void *)1);
    competitor((void *)0);
}
