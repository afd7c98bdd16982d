// A thread ends the process with a status of its own, or main comes first.
//
// heddle: verdict = found
// heddle: kind = failed
// heddle: count = 1
#include <pthread.h>
#include <unistd.h>

static void *leave(void *unused)
{
    (void)unused;
    _exit(9); // heddle: here
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    return 0;
}
