// What was read is written back under another hold.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static void *add(void *unused)
{
    pthread_rwlock_rdlock(&l);
    int old = x;
    pthread_rwlock_unlock(&l);
    pthread_rwlock_wrlock(&l);
    x = old + 1;
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 2);
    return 0;
}
