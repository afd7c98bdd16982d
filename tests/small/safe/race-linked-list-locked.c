// A list is extended under the lock under which another walks it.
#include <assert.h>
#include <pthread.h>

struct node {
    struct node *next;
};

static struct node first, second;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *extend(void *unused)
{
    pthread_mutex_lock(&m);
    first.next = &second;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *walk(void *unused)
{
    pthread_mutex_lock(&m);
    int n = 0;
    for (struct node *at = &first; at; at = at->next)
        n++;
    assert(n < 3);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, extend, NULL);
    pthread_create(&threads[1], NULL, walk, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
