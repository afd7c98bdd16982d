// Two threads change what two signals do: these commute.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

static void *work(void *unused)
{
    signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    signal(SIGUSR2, SIG_IGN);
    raise(SIGUSR2);
    siginterrupt(SIGUSR2, 1);
    pthread_join(thread, NULL);
    return 0;
}
