// A barrier that nobody has initialised.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <pthread.h>

static pthread_barrier_t barrier;

int main(void)
{
    pthread_barrier_wait(&barrier); // heddle: here
    return 0;
}
