// Two threads wait on one condition variable with different mutexes: whoever wakes them finds out.
//
// heddle: verdict = found
// heddle: kind = misuse
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waits[2];

static void *work(void *number)
{
    int me = (int)(long)number;
    pthread_mutex_lock(&locks[me]);
    waits[me] = 1;
    pthread_cond_wait(&changed, &locks[me]);
    pthread_mutex_unlock(&locks[me]);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int both = 1;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&locks[i]);
        both = both && waits[i];
        pthread_mutex_unlock(&locks[i]);
    }
    if (both)
        pthread_cond_broadcast(&changed); // heddle: here
    return 0;
}
