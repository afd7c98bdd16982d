// A thread that spins on a plain variable and never does anything that others could see.
//
// heddle: verdict = found
// heddle: kind = hang
#include <pthread.h>

static long spins;

static void *work(void *unused)
{
    while (1) spins++; // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
