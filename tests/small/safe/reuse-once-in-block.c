// A control of one initialisation in a block that is freed: the next block has another one at the same address.
//
// heddle: flags = --quarantine 0
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static __thread int runs;
static void initialise(void) { runs++; }

static void *worker(void *argument) {
    for (int i = 0; i < 3; i++) {
        pthread_once_t *control = calloc(1, sizeof *control);
        pthread_once(control, initialise);
        pthread_once(control, initialise);
        free(control);
    }
    assert(runs == 3);
    return argument;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
