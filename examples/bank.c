// Transfers between three accounts, each with a lock of its own.
//
// Locking the source and then the target looks careful. But three transfers that go round in a circle (0 to 1,
// 1 to 2, 2 to 0) can each hold their source and wait for the next one's. No two of them conflict on both accounts:
// it takes all three to see it.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 7
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
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock); // heddle: here
    from->balance -= order->amount;
    to->balance += order->amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
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
    return 0;
}
