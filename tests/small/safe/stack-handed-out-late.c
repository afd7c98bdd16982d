// A function says where its variable is after the other thread has begun, at a place of the stack that another function had before. It
// waits until the variable was used.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(int *) handed_out;
static atomic_int done;

static void *use(void *unused)
{
    int *variable;
    while (!(variable = atomic_load_explicit(&handed_out, memory_order_acquire)))
        ;
    *variable = 1;
    atomic_store_explicit(&done, 1, memory_order_release);
    return unused;
}

__attribute__((noinline)) static void before(void)
{
    volatile int room[16];
    for (int i = 0; i < 16; i++)
        room[i] = i;
}

__attribute__((noinline)) static int hand_out(void)
{
    int variable[8] = {0};
    atomic_store_explicit(&handed_out, &variable[4], memory_order_release);
    while (!atomic_load_explicit(&done, memory_order_acquire))
        ;
    return variable[4];
}

int main(void)
{
    pthread_t thread;
    int result;
    pthread_create(&thread, NULL, use, NULL);
    before();
    result = hand_out();
    before();
    pthread_join(thread, NULL);
    return result - 1;
}
