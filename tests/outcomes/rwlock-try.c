// While a reader is in another can come in and a writer cannot; while a writer is in nobody can. With one of each, never neither.
// heddle: outcome = 0 0
// heddle: outcome = 0 16
// heddle: outcome = 16 0
#include "run.h"
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int error[3];
static void *reads(void *me) {
    error[(long)me] = pthread_rwlock_tryrdlock(&lock);
    if (!error[(long)me])
        pthread_rwlock_unlock(&lock);
    return 0;
}
static void *writes(void *me) {
    error[(long)me] = pthread_rwlock_trywrlock(&lock);
    if (!error[(long)me])
        pthread_rwlock_unlock(&lock);
    return 0;
}
int main(void) {
    RUN(reads, writes);
    printf("%d %d\n", error[1], error[2]);
}
