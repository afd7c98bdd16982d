// Each thread has a signal mask of its own, and inherits it from who creates it. Signals that are ignored, and signal 0.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *work(void *unused)
{
    sigset_t mask, none;
    assert(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
    assert(sigismember(&mask, SIGUSR1) == 1 && sigismember(&mask, SIGUSR2) == 0);
    sigemptyset(&none);
    assert(sigprocmask(SIG_SETMASK, &none, NULL) == 0);
    return unused;
}

int main(void)
{
    sigset_t some, mask;
    pthread_t thread;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigaddset(&some, SIGKILL);
    assert(pthread_sigmask(7, &some, NULL) == EINVAL);
    assert(pthread_sigmask(SIG_BLOCK, &some, &mask) == 0);
    assert(sigismember(&mask, SIGUSR1) == 0);
    pthread_create(&thread, NULL, work, NULL);
    assert(pthread_kill(thread, 0) == 0);
    assert(pthread_kill(pthread_self(), 1000) == EINVAL);
    pthread_join(thread, NULL);
    assert(sigprocmask(SIG_UNBLOCK, &some, &mask) == 0);
    assert(sigismember(&mask, SIGUSR1) == 1 && sigismember(&mask, SIGKILL) == 0);
    assert(raise(SIGCHLD) == 0);
    assert(gsignal(SIGURG) == 0);
    assert(pthread_kill(pthread_self(), SIGWINCH) == 0);
    return 0;
}
