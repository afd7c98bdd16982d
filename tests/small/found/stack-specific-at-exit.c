// The destructor of a thread's own value writes to a variable of a function that has returned.
//
// heddle: kind = memory
#include <pthread.h>

static pthread_key_t key;

static void destroy(void *value)
{
    *(volatile int *)value = 1;
}

static void *set(void *value)
{
    pthread_setspecific(key, value);
    return NULL;
}

static void begin(void)
{
    int value = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, set, &value);
    pthread_detach(thread);
}

int main(void)
{
    pthread_key_create(&key, destroy);
    begin();
    return 0;
}
