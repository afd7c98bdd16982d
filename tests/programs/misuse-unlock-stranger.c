// A mutex that another thread has locked is unlocked.
//
// heddle: verdict = found
// heddle: kind = misuse
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked;

static void *work(void *unused)
{
    sem_wait(&locked);
    pthread_mutex_unlock(&lock); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&locked, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    sem_post(&locked);
    pthread_join(thread, NULL);
    return 0;
}
