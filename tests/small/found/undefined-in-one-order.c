// Overflows only if both additions come before the reset.
//
// heddle: kind = undefined
// heddle: flags = --ub
#include <pthread.h>

static int x = 2000000000;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    pthread_mutex_lock(&m);
    x += 100000000;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *reset(void *unused)
{
    pthread_mutex_lock(&m);
    x = 0;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_create(&threads[2], NULL, reset, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
