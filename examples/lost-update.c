// A lock that is taken, and does not help.
//
// Reading the balance is locked, and so is writing it: there is no data race, and a race detector is content. But
// between the two the lock is free, so that the other thread's deposit can come in between and be overwritten. The two
// times two critical sections can be ordered in six ways; in four of them a deposit is lost.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 6
// heddle: count = 4
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static int read_balance(void)
{
    pthread_mutex_lock(&lock);
    int value = balance;
    pthread_mutex_unlock(&lock);
    return value;
}

static void write_balance(int value)
{
    pthread_mutex_lock(&lock);
    balance = value;
    pthread_mutex_unlock(&lock);
}

static void *deposit(void *unused)
{
    int value = read_balance();
    write_balance(value + 1);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, deposit, NULL);
    pthread_create(&two, NULL, deposit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(balance == 2); // heddle: here
    return 0;
}
