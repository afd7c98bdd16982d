// The same count under a lock: every two accesses are ordered by it, in whichever order the threads come.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int visits;

static void *visit(void *unused)
{
    pthread_mutex_lock(&lock);
    visits++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, visit, NULL);
    pthread_create(&two, NULL, visit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(visits == 2);
    return 0;
}
