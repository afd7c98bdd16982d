// A signal that stops the process does not end it, and nobody is there to let it go on.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *work(void *unused)
{
    raise(SIGSTOP); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
