// A spin lock and a mutex, crosswise.
//
// heddle: kind = deadlock
#include <pthread.h>

static pthread_spinlock_t l;
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
    pthread_spin_lock(&l);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_spin_unlock(&l);
    return unused;
}

static void *two(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_spin_lock(&l);
    pthread_spin_unlock(&l);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_spin_init(&l, 0);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
