// A mutex is unlocked twice.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock); // heddle: here
    return 0;
}
