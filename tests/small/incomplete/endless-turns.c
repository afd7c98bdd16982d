// Two threads hand each other the turn for ever, by a word that they look at.
//
// heddle: flags = --max-steps 40 --max-executions 200
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;

static void *play(void *argument)
{
    int me = argument != NULL;
    for (;;) {
        while (atomic_load(&turn) != me)
            ;
        atomic_store(&turn, 1 - me);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, play, &thread);
    play(NULL);
}
