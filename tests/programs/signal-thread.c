// A thread of its own for signals: everybody blocks them, and it waits for them. The way that POSIX recommends.
//
// heddle: verdict = safe
// heddle: executions = 26
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t wanted;
static int seen;

static void *handle(void *unused)
{
    int signal;
    do {
        assert(sigwait(&wanted, &signal) == 0);
        seen += signal == SIGUSR1;
    } while (signal != SIGTERM);
    return unused;
}

static void *work(void *handler)
{
    assert(pthread_kill(*(pthread_t *)handler, SIGUSR1) == 0);
    return NULL;
}

int main(void)
{
    pthread_t handler, worker;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    sigaddset(&wanted, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    pthread_create(&handler, NULL, handle, NULL);
    pthread_create(&worker, NULL, work, &handler);
    pthread_join(worker, NULL);
    // Of both that are pending the lower number is delivered first: SIGUSR1 is 10, SIGTERM 15.
    pthread_kill(handler, SIGTERM);
    pthread_join(handler, NULL);
    assert(seen == 1);
    return 0;
}
