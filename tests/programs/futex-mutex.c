// A mutex made by hand from a futex (0 unlocked, 1 locked, 2 locked and perhaps somebody sleeps), after U. Drepper, Futexes are
// tricky, section 5.
// heddle: verdict = safe
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
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
        seen = atomic_exchange(&word, 2);
    }
}

static void unlock(void) {
    if (atomic_fetch_sub(&word, 1) != 1) {
        atomic_store(&word, 0);
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    }
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
