// A call of the thread library that Heddle has no meaning for yet.
#define _GNU_SOURCE
#include <pthread.h>

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_setattr_default_np(NULL); // heddle: here
    pthread_join(thread, NULL);
    return 0;
}
