// Two waiters and one broadcast: both wake up, in either order. Nobody waits when it comes (2 orders of what follows), one (2 * 2), or both (2 * 2).
//
// heddle: verdict = safe
// heddle: executions = 10
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, order[2], woken;

static void *waits(void *number)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    order[woken++] = (int)(long)number;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, waits, (void *)1);
    pthread_create(&two, NULL, waits, (void *)2);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(woken == 2 && order[0] + order[1] == 3);
    return 0;
}
