// Two threads that hand each other the turn, and count: that is progress.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int turn;

static void *play(void *argument)
{
    int me = argument != NULL;
    for (int i = 0; i < 3; i++) {
        while (atomic_load(&turn) != me)
            sched_yield();
        atomic_store(&turn, 1 - me);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, play, NULL);
    pthread_create(&threads[1], NULL, play, threads);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
