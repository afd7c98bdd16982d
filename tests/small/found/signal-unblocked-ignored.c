// A blocked signal takes effect when it is unblocked: it kills unless it is ignored by then.
//
// heddle: kind = crash
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *one(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    return unused;
}

static void *two(void *unused)
{
    signal(SIGUSR1, SIG_IGN);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
