// Moved to another word, a sleeper is woken there.
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint from, to;

static void *sleeper(void *argument) {
    while (atomic_load(&from) == 0)
        syscall(SYS_futex, &from, FUTEX_WAIT, 0, 0, 0, 0);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sleeper, 0);
    pthread_create(&b, 0, sleeper, 0);
    atomic_store(&from, 1);
    long moved = syscall(SYS_futex, &from, FUTEX_CMP_REQUEUE, 0, (long)INT_MAX, &to, 1);
    assert(moved >= 0 && moved <= 2);
    assert(syscall(SYS_futex, &from, FUTEX_WAKE, INT_MAX, 0, 0, 0) == 0);
    assert(syscall(SYS_futex, &to, FUTEX_WAKE, INT_MAX, 0, 0, 0) == moved);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
