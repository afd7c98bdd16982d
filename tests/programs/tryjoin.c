// pthread_tryjoin_np: busy while the thread runs, and once it has ended its value.
//
// heddle: verdict = safe
// heddle: executions = 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *work(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    int here;
    void *value = NULL;
    pthread_create(&thread, NULL, work, &here);
    int error = pthread_tryjoin_np(thread, &value);
    assert(error == 0 || error == EBUSY);
    if (error == EBUSY)
        pthread_join(thread, &value);
    assert(value == &here);
    return 0;
}
