// Peterson's mutual exclusion for two threads with the two stores in the wrong order: each thread lets the other one go first
// before it has said that it wants to go in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], last, inside;

static void *enter(void *argument)
{
    int me = argument != NULL, other = 1 - me;
    for (int round = 0; round < 2; round++) {
        last = me;
        wants[me] = 1;
        while (wants[other] && last == me)
            ;
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        wants[me] = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, enter, NULL);
    pthread_create(&threads[1], NULL, enter, &inside);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
