// A counter under a spin lock.
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t l;
static int n;

static void *add(void *unused)
{
    pthread_spin_lock(&l);
    n++;
    pthread_spin_unlock(&l);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_spin_init(&l, 0);
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(n == 2);
    return 0;
}
