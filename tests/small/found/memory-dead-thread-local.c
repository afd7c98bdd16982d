// A thread-local variable of a thread that has ended.
//
// heddle: kind = memory
#include <pthread.h>

static __thread int own;

static void *work(void *unused)
{
    (void)unused;
    own = 1;
    return &own;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    return *(int *)result == 12345;
}
