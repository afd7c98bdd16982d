// Two million accesses in an execution, and one pair of operations that matters: two orders.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>

#define SIZE 4096

static int numbers[2][SIZE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *work(void *argument)
{
    int *own = argument;
    long sum = 0;
    for (int round = 0; round < 250; round++)
        for (int i = 0; i < SIZE; i++)
            own[i] += i & 1;
    for (int i = 0; i < SIZE; i++)
        sum += own[i];
    pthread_mutex_lock(&lock);
    total += sum;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(total == 2L * 250 * SIZE / 2);
    return 0;
}
