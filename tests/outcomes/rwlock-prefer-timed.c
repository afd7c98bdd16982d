// The same with time-outs (first the reader's second reading, then the writer): each gives up or not, and even both may.
// heddle: outcome = 0 0
// heddle: outcome = 0 110
// heddle: outcome = 110 0
// heddle: outcome = 110 110
#include "run.h"
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int again, written;
static void *reads(void *me) {
    struct timespec until = soon();
    pthread_rwlock_rdlock(&lock);
    again = pthread_rwlock_timedrdlock(&lock, &until);
    if (!again)
        pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return me;
}
static void *writes(void *me) {
    struct timespec until = soon();
    written = pthread_rwlock_timedwrlock(&lock, &until);
    if (!written)
        pthread_rwlock_unlock(&lock);
    return me;
}
int main(void) {
    RUN(reads, writes);
    printf("%d %d\n", again, written);
}
