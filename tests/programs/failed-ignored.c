// A test that fails in some orders, where the user does not care about the status.
//
// heddle: verdict = safe
// heddle: flags = --exit-status ignore
// heddle: executions = 2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int last;

static void *set(void *value)
{
    last = *(int *)value;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int values[2] = { 0, 1 };
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, set, &values[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return last;
}
