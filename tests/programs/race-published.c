// The same, but the reader touches the data only once it has seen that it is published.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int published;
static int data;

static void *publish(void *unused)
{
    data = 1;
    pthread_mutex_lock(&lock);
    published = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    int ready = published;
    pthread_mutex_unlock(&lock);
    if (ready)
        assert(data == 1);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, publish, NULL);
    pthread_create(&two, NULL, consume, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
