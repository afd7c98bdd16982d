// A reader that comes in again while a writer waits that it keeps out: a deadlock where writers are preferred.
// heddle: outcome = done
// heddle: outcome = (deadlock)
#include "run.h"
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void *reads(void *me) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return me;
}
static void *writes(void *me) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return me;
}
int main(void) {
    RUN(reads, writes);
    puts("done");
}
