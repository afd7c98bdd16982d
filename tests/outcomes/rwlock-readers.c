// Two readers and a writer: each reads before or after it, and readers do not mind each other.
// heddle: outcome = 0 0
// heddle: outcome = 0 1
// heddle: outcome = 1 0
// heddle: outcome = 1 1
// heddle: executions = 4
#include "run.h"
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen[4];
static void *reads(void *me) {
    pthread_rwlock_rdlock(&lock);
    seen[(long)me] = value;
    pthread_rwlock_unlock(&lock);
    return 0;
}
static void *writes(void *me) {
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return me;
}
int main(void) {
    RUN(reads, reads, writes);
    printf("%d %d\n", seen[1], seen[2]);
}
