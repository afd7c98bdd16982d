// A spin lock locked twice by one thread.
//
// heddle: kind = deadlock
#include <pthread.h>

static pthread_spinlock_t l;
static int n;

static void *add(void *unused)
{
    pthread_spin_lock(&l);
    pthread_spin_lock(&l);
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_spin_init(&l, 0);
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    return 0;
}
