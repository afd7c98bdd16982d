// An atomic floating point number.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic double sum;

static void *add(void *unused)
{
    sum += 0.5;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(sum == 1.0);
    return 0;
}
