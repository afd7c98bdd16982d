// A server that never ends, with a worker that loses its place in the third request. The bound on operations is what ends both, and the
// bug comes before it.
//
// heddle: kind = assertion
// heddle: flags = --max-steps 60
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int slot, served;

static void *serve(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (slot == 0)
            pthread_cond_wait(&filled, &lock);
        assert(slot != 3); // heddle: here
        slot = 0;
        served++;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, serve, NULL);
    for (int request = 1;; request++) {
        pthread_mutex_lock(&lock);
        while (slot != 0)
            pthread_cond_wait(&emptied, &lock);
        slot = request;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
}
