// Two readers can be inside at once.
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x;
static pthread_barrier_t both;

static void *read_(void *unused)
{
    pthread_rwlock_rdlock(&l);
    pthread_barrier_wait(&both);
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&threads[0], NULL, read_, NULL);
    pthread_create(&threads[1], NULL, read_, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
