// Dekker's lock, taken for ever by two threads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int wants[2], turn, inside;
static void *competitor(void *argument) {
    int me = (int)(long)argument, other = 1 - me;
    for (;;) {
        atomic_store(&wants[me], 1);
        while (atomic_load(&wants[other])) {
            if (atomic_load(&turn) == other) {
                atomic_store(&wants[me], 0);
                while (atomic_load(&turn) == other) {}
#ifdef BAD
                break;
#else
                atomic_store(&wants[me], 1);
#endif
            }
        }
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        atomic_store(&turn, other);
        atomic_store(&wants[me], 0);
    }
}
int main(void) {
    pthread_t one;
    pthread_create(&one, 0, competitor, (void *)1);
    competitor((void *)0);
}
