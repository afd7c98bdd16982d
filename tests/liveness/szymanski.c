// Szymanski's lock, taken for ever by two threads. 0: outside, 1: at the door, 2: waits for others, 3: at the inner door, 4: in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag[2], inside;
static void *competitor(void *argument) {
    int me = (int)(long)argument, other = 1 - me;
    for (;;) {
        atomic_store(&flag[me], 1);
        while (atomic_load(&flag[other]) >= 3) {}
        atomic_store(&flag[me], 3);
        if (atomic_load(&flag[other]) == 1) {
            atomic_store(&flag[me], 2);
            while (atomic_load(&flag[other]) != 4) {}
        }
        atomic_store(&flag[me], 4);
#ifndef BAD
        if (other < me)
            while (atomic_load(&flag[other]) >= 2) {}
#endif
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        if (other > me)
            for (int seen = atomic_load(&flag[other]); seen == 2 || seen == 3; seen = atomic_load(&flag[other])) {}
        atomic_store(&flag[me], 0);
    }
}
int main(void) {
    pthread_t one;
    pthread_create(&one, 0, competitor, (void *)1);
    competitor((void *)0);
}
