// A thread's own name is the one its maker got.
#include <assert.h>
#include <pthread.h>

static pthread_t names[2];
static int next;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    names[next++] = pthread_self();
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(pthread_equal(names[0], threads[0]) || pthread_equal(names[0], threads[1]));
    assert(!pthread_equal(names[0], names[1]));
    return 0;
}
