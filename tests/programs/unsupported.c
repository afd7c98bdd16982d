// A call of the thread library that Heddle has no meaning for yet.
#include <pthread.h>

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread); // heddle: here
    pthread_join(thread, NULL);
    return 0;
}
