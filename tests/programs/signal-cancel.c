// A thread that waits for signals is asked to end, and does.
//
// heddle: verdict = safe
// heddle: executions = 37
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t wanted;

static void *handle(void *unused)
{
    int signal;
    for (;;)
        sigwait(&wanted, &signal);
    return unused;
}

int main(void)
{
    pthread_t handler;
    void *result;
    sigfillset(&wanted);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    pthread_create(&handler, NULL, handle, NULL);
    pthread_kill(handler, SIGHUP);
    pthread_cancel(handler);
    pthread_join(handler, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
