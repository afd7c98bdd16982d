// A pointer that is published once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int values[2] = {1, 2};
static _Atomic(int *) current;

static void *set(void *unused)
{
    int *none = NULL;
    atomic_compare_exchange_strong(&current, &none, &values[0]);
    return unused;
}

static void *set_too(void *unused)
{
    int *none = NULL;
    atomic_compare_exchange_strong(&current, &none, &values[1]);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, set, NULL);
    pthread_create(&threads[1], NULL, set_too, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(*current == 1 || *current == 2);
    return 0;
}
