// That a child has ended is told by a signal, which comes from outside the model.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    sigset_t ends;
    int signal;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    if (fork() == 0)
        _exit(3);
    sigwait(&ends, &signal); // heddle: here
    assert(wait(NULL) > 0);
    return 0;
}
