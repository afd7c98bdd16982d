// A function is left by longjmp when the thread that writes to its variable has ended, and is called again.
#include <pthread.h>
#include <setjmp.h>

static jmp_buf back;
static int rounds;

static void *fill(void *place)
{
    *(int *)place = 1;
    return NULL;
}

static void attempt(void)
{
    int place = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, fill, &place);
    pthread_join(thread, NULL);
    rounds += place;
    longjmp(back, 1);
}

int main(void)
{
    setjmp(back);
    if (rounds < 3)
        attempt();
    return rounds - 3;
}
