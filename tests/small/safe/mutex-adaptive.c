// An adaptive mutex is a mutex.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m;
static int n;

static void *add(void *unused)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, 3);
    pthread_mutex_init(&m, &kind);
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(n == 2);
    return 0;
}
