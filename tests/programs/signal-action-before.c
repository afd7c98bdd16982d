// A signal is ignored before there are threads. Looks at what it does commute.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static void *work(void *unused)
{
    struct sigaction action;
    raise(SIGUSR1);
    assert(sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_IGN);
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, SIG_IGN);
    pthread_create(&thread, NULL, work, NULL);
    raise(SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
