// Two threads get the address of one variable that changes in between.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>

static void *work(void *argument)
{
    assert(*(int *)argument < 3);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    int number = 1;
    pthread_create(&one, NULL, work, &number);
    number = 2;
    pthread_create(&two, NULL, work, &number);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
