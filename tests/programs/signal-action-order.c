// A signal kills the process unless another thread has ignored it before.
//
// heddle: verdict = found
// heddle: kind = crash
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

static void *work(void *unused)
{
    raise(SIGUSR1); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    signal(SIGUSR1, SIG_IGN);
    pthread_join(thread, NULL);
    return 0;
}
