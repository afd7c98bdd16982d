// The priority ceiling of a mutex.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int ceiling;

static void *work(void *unused)
{
    int before;
    pthread_mutex_setprioceiling(&mutex, 2, &before);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&attributes, 1);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_getprioceiling(&mutex, &ceiling);
    pthread_join(thread, NULL);
    assert(ceiling == 1); // heddle: here
    return 0;
}
