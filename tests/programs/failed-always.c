// Every execution fails, in one of two places: that is one finding.
//
// heddle: verdict = found
// heddle: kind = failed
// heddle: executions = 2
// heddle: count = 2
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void *append(void *digit)
{
    pthread_mutex_lock(&lock);
    order = order * 10 + *(int *)digit;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int digits[2] = { 1, 2 };
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, append, &digits[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (order == 12)
        exit(3);
    return 3;
}
