// A writer with a time-out against a reader.
// heddle: outcome = 0
// heddle: outcome = 110
#include "run.h"
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int error;
static void *reads(void *me) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return me;
}
static void *writes(void *me) {
    struct timespec until = soon();
    error = pthread_rwlock_timedwrlock(&lock, &until);
    if (!error)
        pthread_rwlock_unlock(&lock);
    return me;
}
int main(void) {
    RUN(reads, writes);
    printf("%d\n", error);
}
