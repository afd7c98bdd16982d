// A handler that runs once, and two signals.
//
// heddle: kind = crash
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void handler(int signal)
{
    (void)signal;
}

static void *one(void *unused)
{
    raise(SIGUSR1);
    return unused;
}

static void *two(void *unused)
{
    raise(SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    struct sigaction once = { .sa_handler = handler, .sa_flags = SA_RESETHAND };
    sigaction(SIGUSR1, &once, NULL);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
