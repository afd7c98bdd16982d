// A signal that is given before anyone waits is lost.
//
// heddle: verdict = found
// heddle: kind = deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&changed, &lock); // heddle: here
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
