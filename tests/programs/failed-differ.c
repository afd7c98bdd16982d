// The status is the program's result, and it depends on the order: neither of the two is zero, but they differ.
//
// heddle: verdict = found
// heddle: kind = failed
// heddle: flags = --exit-status differ
// heddle: executions = 2
// heddle: more = yes
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
    int values[2] = { 4, 5 };
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, set, &values[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return last;
}
