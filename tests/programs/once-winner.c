// Whoever comes first runs the initialisation, and it can be either of the two.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int me;
static int winner;

static void initialise(void)
{
    winner = me;
}

static void *worker(void *number)
{
    me = *(int *)number;
    pthread_once(&once, initialise);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(winner == 1); // heddle: here
}
