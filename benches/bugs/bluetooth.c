// A driver that counts requests under way and is stopped: a request that has looked at the stop flag before it counts
// itself runs in a driver that has stopped already.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
#define atomic_int int // a data race on top
#endif

static atomic_int pending = 1, stopping, stopped, event;

static int enter(void)
{
    if (stopping)
        return -1;
    pending++;
    return 0;
}

static void leave(void)
{
    if (--pending == 0)
        event = 1;
}

static void *request(void *unused)
{
    if (enter() == 0) {
        assert(!stopped);
        leave();
    }
    return unused;
}

static void *stop(void *unused)
{
    stopping = 1;
    leave();
    if (event)
        stopped = 1;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, request, NULL);
    pthread_create(&two, NULL, stop, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
