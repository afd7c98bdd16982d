// Transfers between three accounts, each with a lock of its own, the lower account locked first.
//
// The same as bank.c with an order among the locks: a circle of waiting threads would have to contain one that waits
// for a lower lock than one it holds, and there is none. Money is neither made nor lost.
//
// heddle: verdict = safe
// heddle: executions = 6
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[3] = {
    {PTHREAD_MUTEX_INITIALIZER, 100},
    {PTHREAD_MUTEX_INITIALIZER, 100},
    {PTHREAD_MUTEX_INITIALIZER, 100},
};

struct order {
    int from, to, amount;
};

static void *transfer(void *argument)
{
    const struct order *order = argument;
    struct account *from = &accounts[order->from], *to = &accounts[order->to];
    struct account *first = from < to ? from : to, *second = from < to ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= order->amount;
    to->balance += order->amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return NULL;
}

int main(void)
{
    static struct order orders[3] = {{0, 1, 10}, {1, 2, 20}, {2, 0, 30}};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, transfer, &orders[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(accounts[0].balance == 120 && accounts[1].balance == 90 && accounts[2].balance == 90);
    return 0;
}
