// A condition wait with a mutex that is not locked.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void)
{
    pthread_cond_wait(&changed, &lock); // heddle: here
    return 0;
}
