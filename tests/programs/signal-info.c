// What is said of a signal, of those that are pending the lowest first, and waiting for so long and no longer.
//
// heddle: verdict = safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t wanted;

static void *wait_for(void *unused)
{
    siginfo_t info;
    struct timespec second = {1, 0};
    int signal = sigtimedwait(&wanted, &info, &second);
    assert(signal == SIGHUP || signal == SIGUSR1 || (signal == -1 && errno == EAGAIN));
    assert(sigwaitinfo(&wanted, &info) > 0);
    assert(info.si_signo == SIGHUP || info.si_signo == SIGUSR1 || info.si_signo == SIGTERM);
    assert(info.si_code == SI_TKILL && info.si_pid == getpid());
    return unused;
}

int main(void)
{
    pthread_t waiter;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGHUP);
    sigaddset(&wanted, SIGUSR1);
    sigaddset(&wanted, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    pthread_create(&waiter, NULL, wait_for, NULL);
    pthread_kill(waiter, SIGUSR1);
    pthread_kill(waiter, SIGHUP);
    pthread_kill(waiter, SIGTERM);
    pthread_join(waiter, NULL);
    return 0;
}
