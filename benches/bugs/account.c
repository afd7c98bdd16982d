// A deposit, a withdrawal and a check of the balance. Each takes the lock, but the deposit reads the balance before it does.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
#define atomic_int int // a data race on top
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int balance = 100;
static atomic_int done;

static void *deposit(void *unused)
{
    int before = balance;
    pthread_mutex_lock(&lock);
    balance = before + 10;
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *withdraw(void *unused)
{
    pthread_mutex_lock(&lock);
    balance -= 30;
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *check(void *unused)
{
    pthread_mutex_lock(&lock);
    if (done == 2)
        assert(balance == 80);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, deposit, NULL);
    pthread_create(&threads[1], NULL, withdraw, NULL);
    pthread_create(&threads[2], NULL, check, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
