// Wakers and sleepers choose each other by sets. Two sleepers listen to different ones; each is woken by its own waker only, who
// may come too early: then nobody wakes it.
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint word;
static atomic_int awake[2];

static void *sleeper(void *argument) {
    uintptr_t number = (uintptr_t)argument;
    while (atomic_load(&word) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, 0, 0, 1u << number);
    atomic_store(&awake[number], 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, sleeper, (void *)i);
    atomic_store(&word, 1);
    long first = syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 100, 0, 0, 2u);
    assert(first == 0 || first == 1);
    long second = syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 100, 0, 0, 1u);
    assert(second == 0 || second == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(awake[0] && awake[1]);
}
