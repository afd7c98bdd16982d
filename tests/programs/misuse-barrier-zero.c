// A barrier for no threads.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <pthread.h>

static pthread_barrier_t barrier;

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 0); // heddle: here
    return 0;
}
