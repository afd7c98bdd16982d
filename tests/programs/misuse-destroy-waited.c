// A condition variable is destroyed while a thread waits on it.
//
// heddle: verdict = found
// heddle: kind = misuse
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waits;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    waits = 1;
    pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    if (waits)
        pthread_cond_destroy(&changed); // heddle: here
    return 0;
}
