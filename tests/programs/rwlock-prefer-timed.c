// A lock that prefers writers: a writer that waits keeps a second reading of the same reader out, until it times out. With
// a time-out the reader that comes in again does not deadlock.
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct timespec until;
static int written;

static void *writer(void *unused) {
    int error = pthread_rwlock_timedwrlock(&lock, &until);
    assert(error == 0 || error == ETIMEDOUT);
    if (!error) {
        written++;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_create(&thread, 0, writer, 0);
    pthread_rwlock_rdlock(&lock);
    int before = written;
    int error = pthread_rwlock_timedrdlock(&lock, &until);
    assert(error == 0 || error == ETIMEDOUT);
    assert(written == before);
    if (!error)
        pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
