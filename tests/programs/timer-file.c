// A timer that is read as a file: virtual time passes, real time does not.
//
// heddle: verdict = safe
// heddle: executions = 1
// heddle: flags = --max-timeouts 10
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    uint64_t count = 0;
    struct timespec before, after;
    struct itimerspec time = {.it_value = {3600, 0}, .it_interval = {60, 0}}, left;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct pollfd poll_timer = {timer, POLLIN, 0};
    assert(timer >= 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(timerfd_settime(timer, 0, &time, NULL) == 0);
    assert(timerfd_gettime(timer, &left) == 0);
    assert(left.it_value.tv_sec >= 3599 && left.it_interval.tv_sec == 60);
    assert(poll(&poll_timer, 1, 0) == 0);
    assert(read(timer, &count, sizeof count) == sizeof count && count == 1);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec - before.tv_sec >= 3600);
    assert(poll(&poll_timer, 1, 1000) == 0);
    assert(poll(&poll_timer, 1, -1) == 1);
    assert(read(timer, &count, sizeof count) == sizeof count && count == 1);
    sleep(150);
    assert(read(timer, &count, sizeof count) == sizeof count && count == 2);
    time.it_value.tv_sec = 0;
    assert(timerfd_settime(timer, 0, &time, NULL) == 0);
    assert(poll(&poll_timer, 1, 100000) == 0);
    return close(timer);
}
