// A thread blocks a signal that another one sends it: too late, in some orders, and then the signal kills.
//
// heddle: verdict = found
// heddle: kind = crash
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *work(void *unused)
{
    sigset_t some;
    int signal;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    sigwait(&some, &signal);
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_kill(worker, SIGUSR1); // heddle: here
    pthread_join(worker, NULL);
    return 0;
}
