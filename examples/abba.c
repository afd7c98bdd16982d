// Two locks, two orders.
//
// One thread takes `a` then `b`, the other `b` then `a`. Each alone is fine; run together they can each hold the
// lock that the other one needs. This is the smallest deadlock there is, and a stress test may run for days
// without showing it: the window is one instruction wide.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 3
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *forward(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // heddle: here
    moved++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *backward(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // heddle: here
    moved--;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, forward, NULL);
    pthread_create(&two, NULL, backward, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return moved;
}
