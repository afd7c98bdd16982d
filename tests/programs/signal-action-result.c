// What `sigaction` says of the handler before depends on who has set one.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static void handle(int signal)
{
    (void)signal;
}

static void *work(void *unused)
{
    struct sigaction action = {.sa_handler = handle}, before;
    sigaction(SIGUSR2, &action, &before);
    assert(before.sa_handler == SIG_DFL); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    sigignore(SIGUSR2);
    pthread_join(thread, NULL);
    return 0;
}
