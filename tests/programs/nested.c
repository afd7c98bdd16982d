// Threads that create threads, at the same time. The four grandchildren meet at one lock: 4! executions, however
// their parents were interleaved.
//
// heddle: verdict = safe
// heddle: executions = 24
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *leaf(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *branch(void *unused)
{
    pthread_t children[2];
    pthread_create(&children[0], NULL, leaf, NULL);
    pthread_create(&children[1], NULL, leaf, NULL);
    pthread_join(children[0], NULL);
    pthread_join(children[1], NULL);
    return unused;
}

int main(void)
{
    pthread_t children[2];
    pthread_create(&children[0], NULL, branch, NULL);
    pthread_create(&children[1], NULL, branch, NULL);
    pthread_join(children[0], NULL);
    pthread_join(children[1], NULL);
    assert(count == 4);
    return 0;
}
