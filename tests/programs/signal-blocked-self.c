// A signal that a thread sends itself while it has blocked it is delivered when it unblocks it, and its handler runs then.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t handled;

static void handle(int signal)
{
    handled = signal;
}

int main(void)
{
    sigset_t some, pending;
    signal(SIGUSR1, handle);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    raise(SIGUSR1);
    raise(SIGUSR1);
    sigpending(&pending);
    assert(!handled && sigismember(&pending, SIGUSR1));
    pthread_sigmask(SIG_UNBLOCK, &some, NULL);
    assert(handled == SIGUSR1);
    return 0;
}
