// Locks with priorities are the kernel's own, and are not modelled.
// heddle: verdict = unsupported
// heddle: exhaustive = no
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

int main(void) {
    return (int)syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, 0, 0, 0);
}
