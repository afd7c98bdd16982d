// Two mutexes in an array, always the lower address first.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int money[2] = {10, 10};

static void transfer(int from, int to)
{
    int low = from < to ? from : to, high = from < to ? to : from;
    pthread_mutex_lock(&locks[low]);
    pthread_mutex_lock(&locks[high]);
    money[from]--;
    money[to]++;
    pthread_mutex_unlock(&locks[high]);
    pthread_mutex_unlock(&locks[low]);
}

static void *there(void *unused)
{
    transfer(0, 1);
    return unused;
}

static void *back(void *unused)
{
    transfer(1, 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, there, NULL);
    pthread_create(&two, NULL, back, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(money[0] == 10 && money[1] == 10);
    return 0;
}
