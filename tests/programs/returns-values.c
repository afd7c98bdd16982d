// What a thread returns, or gives to pthread_exit, arrives where it is joined.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>

static void *returns(void *argument)
{
    return (char *)argument + 1;
}

static void *exits(void *argument)
{
    pthread_exit((char *)argument + 2);
}

int main(void)
{
    pthread_t one, two;
    void *first, *second;
    pthread_create(&one, NULL, returns, (void *)40L);
    pthread_create(&two, NULL, exits, (void *)40L);
    assert(pthread_join(one, &first) == 0 && first == (void *)41L);
    assert(pthread_join(two, &second) == 0 && second == (void *)42L);
    return 0;
}
