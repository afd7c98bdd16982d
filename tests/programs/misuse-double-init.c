// A mutex that is initialised is initialised again.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <pthread.h>

static pthread_mutex_t lock;

int main(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_destroy(&lock);
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_init(&lock, NULL); // heddle: here
    return 0;
}
