// A function is left by longjmp while a thread still writes to its variable, and another function takes its place.
//
// heddle: kind = data-race
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

static jmp_buf back;
static atomic_int started;

static void *fill(void *place)
{
    *(int *)place = 1;
    atomic_store(&started, 1);
    *(int *)place = 2;
    return NULL;
}

static void attempt(void)
{
    int place = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, fill, &place);
    pthread_detach(thread);
    while (!atomic_load(&started))
        ;
    longjmp(back, 1);
}

static int other(int depth)
{
    volatile int numbers[16] = {depth};
    return depth == 0 ? numbers[0] : other(depth - 1);
}

int main(void)
{
    if (setjmp(back) == 0)
        attempt();
    return other(2);
}
