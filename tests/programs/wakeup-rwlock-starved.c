// A reader that comes in again while a writer stands in the queue: with a fair lock that is a deadlock, and with the default it is
// not.
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: flags = --wakeup rwlock=fifo
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *argument) {
    pthread_rwlock_wrlock(&lock); // heddle: here
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock); // heddle: here
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
}
