// Waiting for one of two event counters with poll, which says which of them it was.
//
// heddle: verdict = safe
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>

static int counters[2];

static void *raise(void *which)
{
    assert(eventfd_write(counters[(intptr_t)which], 1) == 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    struct pollfd files[2];
    int seen = 0;
    for (intptr_t i = 0; i < 2; i++) {
        counters[i] = eventfd(0, 0);
        files[i].fd = counters[i];
        files[i].events = POLLIN;
        pthread_create(&threads[i], NULL, raise, (void *)i);
    }
    while (seen < 2) {
        assert(poll(files, 2, -1) > 0);
        for (int i = 0; i < 2; i++) {
            eventfd_t value;
            if (files[i].revents & POLLIN) {
                assert(eventfd_read(counters[i], &value) == 0 && value == 1);
                seen++;
            }
        }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
