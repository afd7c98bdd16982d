// A reader that wants to become the writer waits for its own reading.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 1
// heddle: count = 1
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *upgrade(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    if (value == 0) {
        pthread_rwlock_wrlock(&lock); // heddle: here
        value = 1;
        pthread_rwlock_unlock(&lock);
    }
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, upgrade, NULL);
    pthread_join(thread, NULL);
    return 0;
}
