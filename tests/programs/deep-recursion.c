// Recursion that fills most of a thread's stack of 8 MiB, with a lock at the bottom.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bottom;

static int descend(int depth)
{
    volatile char frame[1024];
    frame[0] = (char)depth;
    if (depth == 0) {
        pthread_mutex_lock(&lock);
        bottom++;
        pthread_mutex_unlock(&lock);
        return frame[0];
    }
    return descend(depth - 1) + frame[0];
}

static void *work(void *unused)
{
    descend(4000);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(bottom == 2);
    return 0;
}
