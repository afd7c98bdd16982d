// A mutex is locked after it was destroyed.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <pthread.h>

int main(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_destroy(&lock);
    pthread_mutex_lock(&lock); // heddle: here
    return 0;
}
