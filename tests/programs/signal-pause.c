// Who only pauses may have missed the signal: sent before, it is handled before, and nobody sends another one.
//
// heddle: verdict = found
// heddle: kind = deadlock
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void handle(int signal)
{
    (void)signal;
}

static void *work(void *unused)
{
    raise(SIGUSR1);
    pause(); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t worker;
    signal(SIGUSR1, handle);
    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL);
    return 0;
}
