// Readers and a writer.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static void *read_(void *unused)
{
    pthread_rwlock_rdlock(&l);
    assert(x == 0 || x == 1);
    pthread_rwlock_unlock(&l);
    return unused;
}

static void *write_(void *unused)
{
    pthread_rwlock_wrlock(&l);
    x = 1;
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, read_, NULL);
    pthread_create(&threads[1], NULL, read_, NULL);
    pthread_create(&threads[2], NULL, write_, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
