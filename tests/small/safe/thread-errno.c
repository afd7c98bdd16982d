// Each thread has its own errno.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>


static void *work(void *unused)
{
    errno = 7;
    sched_yield();
    assert(errno == 7);
    return unused;
}

static void *other(void *unused)
{
    errno = 8;
    sched_yield();
    assert(errno == 8);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
