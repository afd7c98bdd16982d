// A thread runs for ever with a lock that it has taken: it waits for nothing, least of all for itself.
//
// heddle: kind = hang
// heddle: flags = --hang-timeout 1s
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused)
{
    pthread_mutex_lock(&m);
    for (volatile int i = 0; i != 2;) i = !i;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return 0;
}
