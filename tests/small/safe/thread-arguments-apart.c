// Each thread gets a variable of its own.
#include <assert.h>
#include <pthread.h>

static int sum[2];

static void *work(void *argument)
{
    int *mine = argument;
    sum[*mine] = *mine + 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(sum[0] == 1 && sum[1] == 2);
    return 0;
}
