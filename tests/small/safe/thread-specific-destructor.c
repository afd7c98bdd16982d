// The destructor of thread-specific data runs at the thread's end.
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static int five = 5;

static void *work(void *unused)
{
    pthread_setspecific(key, &five);
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_key_create(&key, destroy);
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    assert(destroyed == 5);
    return 0;
}
