// A trylock of a mutex that nobody else has can fail for no reason, if that is asked for: once each of the two times, not both.
// heddle: verdict = found
// heddle: kind = assertion
// heddle: flags = --spurious-failures 1
// heddle: executions = 3
// heddle: count = 2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    int got = 0;
    for (int i = 0; i < 2; i++) {
        if (pthread_mutex_trylock(&mutex) == 0) {
            got++;
            pthread_mutex_unlock(&mutex);
        }
    }
    assert(got == 2); // heddle: here
}
