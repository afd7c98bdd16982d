// Two threads double a number that has room for one doubling only. A third resets it: only the orders in which it does
// not come between the two overflow.
//
// heddle: verdict = found
// heddle: kind = undefined
// heddle: flags = --ub
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number = 1 << 29;

static void *grow(void *unused)
{
    pthread_mutex_lock(&lock);
    number = number * 2; // heddle: here
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *reset(void *unused)
{
    pthread_mutex_lock(&lock);
    number = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, grow, NULL);
    pthread_create(&threads[1], NULL, reset, NULL);
    pthread_create(&threads[2], NULL, grow, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
