// A thread that has blocked a signal waits for its handler to run: there, and nowhere else, it does, whoever has sent the signal.
//
// heddle: verdict = safe
// heddle: executions = 50
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static pthread_t boss;
static volatile sig_atomic_t handled;

static void handle(int signal)
{
    assert(signal == SIGUSR1 && pthread_equal(pthread_self(), boss));
    handled++;
}

static void *work(void *unused)
{
    pthread_kill(boss, SIGWINCH);
    pthread_kill(boss, SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t worker;
    sigset_t some, none;
    boss = pthread_self();
    signal(SIGUSR1, handle);
    sigemptyset(&none);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    pthread_create(&worker, NULL, work, NULL);
    while (handled == 0)
        assert(sigsuspend(&none) == -1 && errno == EINTR);
    kill(getpid(), SIGUSR1);
    assert(handled == 1);
    pthread_join(worker, NULL);
    sigsuspend(&none);
    assert(handled == 2);
    return 0;
}
