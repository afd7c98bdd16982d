// A loop that gives up after ten looks, and looks from deep below, so that its counter is far away on the stack: it does not wait
// for the flag.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag;

static __attribute__((noinline)) int look(void)
{
    return atomic_load(&flag);
}

static __attribute__((noinline)) int look_from_deep_below(void)
{
    volatile char room[3000];
    room[0] = room[2999] = 1;
    return look();
}

static __attribute__((noinline)) int wait_a_little(int bound)
{
    int tries = 0;
    while (!look_from_deep_below())
        if (++tries > bound)
            return 0;
    return 1;
}

static void *run(void *unused)
{
    wait_a_little(10);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    atomic_store(&flag, 1);
}
