// Ids are made up, so a signal to the process's parent would go to somebody else: it is not sent.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void *work(void *unused)
{
    kill(getppid(), SIGTERM); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
