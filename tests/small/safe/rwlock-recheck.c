// What was read is looked at again before it is written.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static void *init(void *unused)
{
    pthread_rwlock_rdlock(&l);
    int there = x;
    pthread_rwlock_unlock(&l);
    if (!there) {
        pthread_rwlock_wrlock(&l);
        if (x == 0)
            x = 5;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, init, NULL);
    pthread_create(&threads[1], NULL, init, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 5);
    return 0;
}
