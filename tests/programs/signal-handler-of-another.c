// A handler that would interrupt another thread could run at any instruction of it.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void handle(int signal)
{
    (void)signal;
}

static void *work(void *unused)
{
    sigset_t some;
    int signal;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    sigwait(&some, &signal);
    return unused;
}

int main(void)
{
    pthread_t worker;
    signal(SIGUSR1, handle);
    pthread_create(&worker, NULL, work, NULL);
    pthread_kill(worker, SIGUSR1); // heddle: here
    pthread_kill(worker, SIGUSR2);
    pthread_join(worker, NULL);
    return 0;
}
