// A test that fails in some orders, as test frameworks do: it prints the place of its failure and exits with status 1. Both
// deposits are atomic by themselves, but one can be lost between the look and the change.
//
// heddle: verdict = found
// heddle: kind = failed
// heddle: executions = 6
// heddle: count = 4
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int now = balance;
    pthread_mutex_unlock(&lock);
    return now;
}

static void set(int now)
{
    pthread_mutex_lock(&lock);
    balance = now;
    pthread_mutex_unlock(&lock);
}

static void *deposit(void *unused)
{
    set(get() + 10);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, deposit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (balance != 120) {
        fprintf(stderr, "%s:%d: Failure\nExpected: 120\n  Actual: %d\n", __FILE__, __LINE__, balance); // heddle: here
        return 1;
    }
    return 0;
}
