// The value that a thread returns arrives.
#include <assert.h>
#include <pthread.h>

static void *work(void *argument)
{
    return (char *)argument + 1;
}

int main(void)
{
    pthread_t thread;
    char bytes[2];
    void *result;
    pthread_create(&thread, NULL, work, bytes);
    pthread_join(thread, &result);
    assert(result == bytes + 1);
    return 0;
}
