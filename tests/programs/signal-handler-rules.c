// What a handler is promised: what is blocked while it runs, what it is told, that it may send signals, be left by a jump, and run only once.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static volatile int inside, most, handled, others, once;
static sigjmp_buf place;

static void counting(int number)
{
    inside++;
    most = inside > most ? inside : most;
    handled++;
    if (handled < 3)
        raise(number);
    inside--;
}

static void asking(int number, siginfo_t *info, void *context)
{
    sigset_t blocked;
    assert(number == SIGUSR2 && info->si_signo == SIGUSR2 && info->si_pid == getpid() && context != NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert(sigismember(&blocked, SIGUSR2) && sigismember(&blocked, SIGHUP) && !sigismember(&blocked, SIGUSR1));
    others++;
    // Blocked for as long as this runs.
    raise(SIGHUP);
    assert(once == 0);
}

static void one_time(int number)
{
    (void)number;
    once++;
}

static void jumping(int number)
{
    siglongjmp(place, number);
}

static void install(int number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, NULL);
}

static void *work(void *unused)
{
    struct sigaction now;
    sigset_t blocked;
    // One after the other, and then one inside the other.
    install(SIGUSR1, counting, 0);
    raise(SIGUSR1);
    assert(handled == 3 && most == 1);
    handled = 0;
    install(SIGUSR1, counting, SA_NODEFER);
    raise(SIGUSR1);
    assert(handled == 3 && most == 3);

    memset(&now, 0, sizeof now);
    now.sa_sigaction = asking;
    now.sa_flags = SA_SIGINFO;
    sigaddset(&now.sa_mask, SIGHUP);
    sigaction(SIGUSR2, &now, NULL);
    install(SIGHUP, one_time, SA_RESETHAND);
    kill(getpid(), SIGUSR2);
    assert(others == 1 && once == 1);
    sigaction(SIGHUP, NULL, &now);
    assert(now.sa_handler == SIG_DFL);

    install(SIGTERM, jumping, 0);
    if (sigsetjmp(place, 1) == 0) {
        raise(SIGTERM);
        assert(0);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert(!sigismember(&blocked, SIGTERM) && !sigismember(&blocked, SIGUSR1));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
