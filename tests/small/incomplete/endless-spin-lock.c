// Two threads pass their critical sections again and again, by a lock of their own: that is no livelock.
//
// heddle: flags = --max-steps 60
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int state;

static void *pass(void *unused)
{
    for (;;) {
        while (atomic_exchange(&lock, 1))
            ;
        state ^= 1;
        atomic_store(&lock, 0);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, pass, NULL);
    pass(NULL);
}
