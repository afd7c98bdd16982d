// A signal kills the process if it comes before somebody ignores it.
//
// heddle: verdict = found
// heddle: kind = crash
#include <pthread.h>
#include <signal.h>

static void *send(void *unused)
{
    raise(SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send, NULL);
    signal(SIGUSR1, SIG_IGN);
    pthread_join(thread, NULL);
    return 0;
}
