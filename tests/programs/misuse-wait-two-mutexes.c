// Two threads wait on one condition variable with different mutexes.
//
// heddle: verdict = found
// heddle: kind = misuse
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *work(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_cond_wait(&changed, lock); // heddle: here
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, &locks[0]);
    pthread_create(&two, NULL, work, &locks[1]);
    pthread_exit(NULL);
}
