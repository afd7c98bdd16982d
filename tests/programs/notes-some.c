// The lock is left locked in only one of the three orders of the attempts; the flag is atomic, so nothing else is wrong.
// heddle: verdict = safe
// heddle: notes = left-locked
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn;

static void *other(void *unused) {
    atomic_fetch_add(&turn, 1);
    atomic_fetch_add(&turn, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    int seen = atomic_load(&turn);
    pthread_mutex_lock(&lock); // heddle: note
    if (seen != 1)
        pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
