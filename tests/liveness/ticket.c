// A ticket lock, taken for ever by two threads. Tickets begin anew after four.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int next, serving;
static int data;
static int ticket(void) {
    heddle_atomic_begin();
    int mine = atomic_load(&next);
    atomic_store(&next, (mine + 1) % 4);
    heddle_atomic_end();
    return mine;
}
static void *taker(void *argument) {
    for (;;) {
        int mine = ticket();
        while (atomic_load(&serving) != mine) {}
        data = 1 - data;
        atomic_store(&serving, (mine + 1) % 4);
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, taker, 0);
    taker(0);
}
