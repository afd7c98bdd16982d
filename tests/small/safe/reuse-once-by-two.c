// A control is initialised again by a store, in order, and two threads come to it each time.
#include <assert.h>
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int runs;
static void initialise(void) { runs++; }
static void *comes(void *argument) { pthread_once(&control, initialise); return argument; }

int main(void) {
    for (int round = 0; round < 2; round++) {
        pthread_t threads[2];
        control = (pthread_once_t)PTHREAD_ONCE_INIT;
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, comes, 0);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
        assert(runs == round + 1);
    }
}
