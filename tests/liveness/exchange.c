// A lock by exchanges, taken for ever by two threads: one of them may get it each time.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int held;
static int data;
static void *taker(void *argument) {
    for (;;) {
        while (atomic_exchange(&held, 1)) {}
        data = 1 - data;
        atomic_store(&held, 0);
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, taker, 0);
    taker(0);
}
