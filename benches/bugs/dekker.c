// Dekker's mutual exclusion for two threads: who has lost the turn forgets to take its wish back while it waits, and does not look
// at the other's wish again afterwards.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void *enter(void *argument)
{
    int me = argument != NULL, other = 1 - me;
    for (int round = 0; round < 2; round++) {
        wants[me] = 1;
        if (wants[other] && turn != me) {
            wants[me] = 0;
            while (turn != me && wants[other])
                ;
            // Should begin again.
            wants[me] = 1;
        }
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        turn = other;
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
