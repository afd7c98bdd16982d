// A thread ends the process with a status that is not zero, while main waits for it: the failure is where it does so.
//
// heddle: verdict = found
// heddle: kind = failed
// heddle: executions = 1
#include <pthread.h>
#include <stdlib.h>

static void *leave(void *unused)
{
    (void)unused;
    exit(7); // heddle: here
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    abort();
}
