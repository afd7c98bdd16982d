// A reader-writer lock is unlocked by a thread that is not in.
//
// heddle: verdict = found
// heddle: kind = misuse
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *unused)
{
    pthread_rwlock_unlock(&lock); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&lock);
    return 0;
}
