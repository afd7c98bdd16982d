// Five hundred threads at once, none in the other's way: one execution.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>

#define N 500

static pthread_mutex_t locks[N];
static int values[N];

static void *work(void *argument)
{
    int i = (int)(long)argument;
    pthread_mutex_lock(&locks[i]);
    values[i] = i;
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

int main(void)
{
    static pthread_t threads[N];
    for (long i = 0; i < N; i++)
        assert(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        assert(values[i] == i);
    return 0;
}
