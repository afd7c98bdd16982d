// A queue of what one thread puts in and another takes out. A flag says that there is something, and is reset by the
// taker after it has looked, so that what was put in meanwhile is taken out of order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
#define atomic_int int // a data race on top
#endif

#define N 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int items[N], head, tail;

static void *put(void *unused)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        items[tail++] = i;
        pthread_mutex_unlock(&lock);
        ready = 1;
    }
    return unused;
}

static void *take(void *unused)
{
    for (int i = 0; i < N; i++) {
        if (!ready)
            continue;
        pthread_mutex_lock(&lock);
        int there = tail - head;
        pthread_mutex_unlock(&lock);
        ready = 0;
        pthread_mutex_lock(&lock);
        assert(tail - head == there);
        head = tail;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, put, NULL);
    pthread_create(&two, NULL, take, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
