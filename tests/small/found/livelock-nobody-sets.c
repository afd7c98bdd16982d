// Waits for a flag that nobody sets: that is a deadlock, since it only waits.
//
// heddle: kind = deadlock
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static void *wait(void *unused)
{
    while (!atomic_load(&flag))
        sched_yield();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_join(thread, NULL);
    return 0;
}
