// A signal to the process that all threads block stays with the process, for whoever waits for it; one of two threads gets it.
//
// heddle: verdict = safe
// heddle: executions = 14
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static sigset_t wanted;
static int got[2];

static void *take(void *me)
{
    siginfo_t info;
    struct timespec none = {0, 0};
    if (sigtimedwait(&wanted, &info, &none) == SIGUSR2) {
        assert(info.si_signo == SIGUSR2 && info.si_code == SI_USER && info.si_pid == getpid());
        got[(long)me] = 1;
    } else {
        assert(errno == EAGAIN);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    sigset_t pending;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, take, (void *)i);
    assert(kill(getpid(), SIGUSR2) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    sigpending(&pending);
    assert(got[0] + got[1] + sigismember(&pending, SIGUSR2) == 1);
    // What nobody wants any more.
    signal(SIGUSR2, SIG_IGN);
    pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
    sigpending(&pending);
    assert(!sigismember(&pending, SIGUSR2));
    return 0;
}
