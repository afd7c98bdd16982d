// A mutex is destroyed while it is locked, in one order of two.
//
// heddle: verdict = found
// heddle: kind = misuse
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (pthread_mutex_trylock(&lock) == 0)
        return 0;
    pthread_mutex_destroy(&lock); // heddle: here
    return 0;
}
