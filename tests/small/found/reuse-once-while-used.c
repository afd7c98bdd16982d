// A control is initialised again while another thread may still use it: then its routine runs twice.
//
// heddle: kind = assertion
// heddle: flags = --races off
#include <assert.h>
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int runs;
static void initialise(void) { runs++; }
static void *comes(void *argument) { pthread_once(&control, initialise); return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, comes, 0);
    pthread_once(&control, initialise);
    control = (pthread_once_t)PTHREAD_ONCE_INIT;
    pthread_join(thread, 0);
    assert(runs == 1);
}
