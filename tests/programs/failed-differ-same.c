// The status is the program's result, the same in every order. Only a difference would be a failure.
//
// heddle: verdict = safe
// heddle: flags = --exit-status differ
// heddle: executions = 2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *add(void *unused)
{
    count++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count;
}
