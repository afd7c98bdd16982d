// A try at a spin lock that somebody may hold.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t l;
static int n;

static void *add(void *unused)
{
    pthread_spin_lock(&l);
    pthread_spin_unlock(&l);
    return unused;
}

static void *try_(void *unused)
{
    assert(pthread_spin_trylock(&l) == 0);
    pthread_spin_unlock(&l);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_spin_init(&l, 0);
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, try_, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
