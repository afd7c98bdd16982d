// A timer does not wait for a thread, however long it is set: who relies on that is wrong.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static atomic_int done;

static void *work(void *unused)
{
    done = 1;
    return unused;
}

int main(void)
{
    uint64_t count;
    pthread_t thread;
    struct itimerspec time = {.it_value = {10, 0}};
    int timer = timerfd_create(CLOCK_REALTIME, 0);
    pthread_create(&thread, NULL, work, NULL);
    assert(timerfd_settime(timer, 0, &time, NULL) == 0);
    assert(read(timer, &count, sizeof count) == sizeof count);
    assert(done); // heddle: here
    pthread_join(thread, NULL);
    return 0;
}
