// A lock of a stream, which others that use the stream would have to wait for.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <stdio.h>

static void *work(void *unused)
{
    flockfile(stdout); // heddle: here
    funlockfile(stdout);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
