// The result lies on the stack of a thread that has ended.
//
// heddle: kind = memory
#include <pthread.h>

static void *work(void *unused)
{
    int local = 1;
    int *volatile address = &local;
    (void)unused;
    return address;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    return *(int *)result == 12345;
}
