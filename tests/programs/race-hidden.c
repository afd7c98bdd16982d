// A race that only some orders show: the reader goes without the lock if it comes first.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int published;
static int data;

static void *publish(void *unused)
{
    data = 1; // heddle: here
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
    if (!ready)
        data = 2; // heddle: here
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, publish, NULL);
    pthread_create(&two, NULL, consume, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return data == 0;
}
