// The wait comes before the store (woken), between the store and the wake-up or after both (EAGAIN); or it falls asleep before the store,
// and the wake-up finds it: there is no order in which it is lost. The second number is how many were woken.
// heddle: outcome = 0 1
// heddle: outcome = 11 0
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
    atomic_store(&word, 1);
    woken = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    return me;
}
int main(void) {
    RUN(waits, wakes);
    printf("%d %ld\n", error, woken);
}
