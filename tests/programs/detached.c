// A detached thread, and a process that ends when main does, wherever the thread is.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_attr_t detached;
    pthread_create(&one, NULL, work, NULL);
    assert(pthread_detach(one) == 0);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&two, &detached, work, NULL) == 0);
    pthread_attr_destroy(&detached);
    pthread_mutex_lock(&lock);
    assert(count >= 0 && count <= 2);
    pthread_mutex_unlock(&lock);
    return 0;
}
