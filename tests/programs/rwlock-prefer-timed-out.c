// The reader waits without a time-out for a writer that waits for it, but the writer gives up: no deadlock.
// heddle: verdict = safe
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *writer(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    if (pthread_rwlock_timedwrlock(&lock, &until) == 0)
        pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
