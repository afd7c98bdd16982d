// A timer as a file: time is virtual, and the kernel's timers know nothing of it.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <sys/timerfd.h>
#include <time.h>

int main(void)
{
    return timerfd_create(CLOCK_MONOTONIC, 0) < 0;
}
