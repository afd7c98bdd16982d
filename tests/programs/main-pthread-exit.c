// main leaves by pthread_exit; the process goes on until the last thread ends.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ended;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    ended++;
    assert(ended <= 2);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_exit(NULL);
}
