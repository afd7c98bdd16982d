// A ticket lock, taken for ever by two threads. Tickets begin anew after four: they are 64 apart in eight bits.
#include <pthread.h>
#include <stdatomic.h>
static atomic_uchar next, serving;
static int data;
static void *taker(void *argument) {
    for (;;) {
        unsigned char mine = atomic_fetch_add(&next, 64);
        while (atomic_load(&serving) != mine) {}
        data = 1 - data;
        atomic_store(&serving, (unsigned char)(mine + 64));
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, taker, 0);
    taker(0);
}
