// A mutex on the heap that nobody has initialised.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    pthread_mutex_t *lock = malloc(sizeof *lock);
    memset(lock, 0x5a, sizeof *lock);
    pthread_mutex_lock(lock); // heddle: here
    return 0;
}
