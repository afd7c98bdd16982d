// A lock that prefers writers: a reader that comes in again waits for a writer that waits for it.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 3
#define _GNU_SOURCE
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void *reads(void *u) { pthread_rwlock_rdlock(&lock); pthread_rwlock_rdlock(&lock); pthread_rwlock_unlock(&lock); pthread_rwlock_unlock(&lock); return u; }
static void *writes(void *u) { pthread_rwlock_wrlock(&lock); pthread_rwlock_unlock(&lock); return u; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reads, NULL);
    pthread_create(&b, NULL, writes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
