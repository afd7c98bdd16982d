// What a futex answers, in one thread: nobody to wake, another value, times that pass and times that are none.
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t word, other;

static long futex(uint32_t *at, int operation, uint32_t value, const void *second, uint32_t *to, uint32_t third) {
    return syscall(SYS_futex, at, operation, value, second, to, third);
}

int main(void) {
    struct timespec duration = { 1, 500000000 }, wrong = { 1, 1000000000 }, past = { 1, 0 }, before, now;
    assert(futex(&word, FUTEX_WAKE, 1, 0, 0, 0) == 0);
    assert(futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0) == 0);
    assert(futex(&word, FUTEX_WAIT, 1, 0, 0, 0) == -1 && errno == EAGAIN);
    assert(futex(&word, FUTEX_WAIT_BITSET, 1, 0, 0, 1) == -1 && errno == EAGAIN);
    assert(futex(&word, FUTEX_WAIT_BITSET, 0, 0, 0, 0) == -1 && errno == EINVAL);
    assert(futex(&word, FUTEX_WAKE_BITSET, 1, 0, 0, 0) == -1 && errno == EINVAL);
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(futex(&word, FUTEX_WAIT, 0, &duration, 0, 0) == -1 && errno == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec > before.tv_sec);
    assert(futex(&word, FUTEX_WAIT, 0, &wrong, 0, 0) == -1 && errno == EINVAL);
    assert(futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &past, 0, 1) == -1 && errno == ETIMEDOUT);
    assert(futex(&word, FUTEX_REQUEUE, 1, (void *)1ul, &other, 0) == 0);
    assert(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1ul, &other, 7) == -1 && errno == EAGAIN);
    assert(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1ul, &other, 0) == 0);
    assert(futex((uint32_t *)((char *)&word + 1), FUTEX_WAKE, 1, 0, 0, 0) == -1 && errno == EINVAL);
}
