// The same by Peterson's algorithm, which has stores and loads only.
//
// heddle: flags = --max-steps 60
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int state;

static void *pass(void *argument)
{
    int me = argument != NULL;
    for (;;) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, 1 - me);
        while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
            ;
        state ^= 1;
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, pass, &thread);
    pass(NULL);
}
