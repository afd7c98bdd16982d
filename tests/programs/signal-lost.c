// Two signals of one kind that are pending at the same time are one: who counts them may wait for ever.
//
// heddle: verdict = found
// heddle: kind = deadlock
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t wanted;

static void *count(void *unused)
{
    int signal;
    for (int i = 0; i < 2; i++)
        sigwait(&wanted, &signal); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t counter;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    pthread_create(&counter, NULL, count, NULL);
    pthread_kill(counter, SIGUSR1);
    pthread_kill(counter, SIGUSR1);
    pthread_join(counter, NULL);
    return 0;
}
