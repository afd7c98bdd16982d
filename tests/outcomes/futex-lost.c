// Who wakes before it stores can come too early: the waiter sleeps for ever.
// heddle: outcome = 0 1
// heddle: outcome = 11 0
// heddle: outcome = (deadlock)
#include "run.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int word;
static int error;
static long woken;
static void *waits(void *me) {
    error = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0) ? errno : 0;
    return me;
}
static void *wakes(void *me) {
    woken = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    atomic_store(&word, 1);
    return me;
}
int main(void) {
    RUN(waits, wakes);
    printf("%d %ld\n", error, woken);
}
