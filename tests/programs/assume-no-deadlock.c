// A thread whose assumption does not hold keeps a lock, and others wait for it: that is no deadlock. Two threads and one
// lock have two orders; in one of them the assumption does not hold.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <heddle.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void *claims(void *name)
{
    pthread_mutex_lock(&lock);
    if (!first)
        first = *(int *)name;
    heddle_assume(first == 1);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    int names[] = {1, 2};
    pthread_create(&one, NULL, claims, &names[0]);
    pthread_create(&two, NULL, claims, &names[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
