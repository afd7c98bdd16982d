// To stand in a queue behind somebody is no way to learn what that one has written: the first access is outside of the lock.
// heddle: verdict = found
// heddle: kind = data-race
// heddle: flags = --wakeup lifo
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *worker(void *argument) {
    shared++; // heddle: here
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&mutex);
    shared++; // heddle: here
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
}
