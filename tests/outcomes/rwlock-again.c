// The same by default: the reader comes in again.
// heddle: outcome = done
#include "run.h"
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
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
