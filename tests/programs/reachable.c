// Both outcomes of a race for a lock are reached, each in one of two executions.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <heddle.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int winner;

static void *worker(void *name)
{
    pthread_mutex_lock(&lock);
    if (!winner)
        winner = *(int *)name;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    int names[] = {1, 2};
    pthread_create(&one, NULL, worker, &names[0]);
    pthread_create(&two, NULL, worker, &names[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    if (winner == 1)
        heddle_reachable("the first wins");
    else
        heddle_reachable("the second wins");
    return 0;
}
