// A mutex made by hand from a futex that says who sleeps and forgets to wake them.
// heddle: verdict = found
// heddle: kind = deadlock
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int counter;

static void lock(void) {
    int seen = 0;
    if (atomic_compare_exchange_strong(&word, &seen, 1))
        return;
    if (seen != 2)
        seen = atomic_exchange(&word, 2);
    while (seen != 0) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0); // heddle: here
        seen = atomic_exchange(&word, 2);
    }
}

static void unlock(void) {
    atomic_store(&word, 0);
}

static void *worker(void *argument) {
    lock();
    counter++;
    unlock();
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
}
