// A condition variable on the heap that nobody has initialised.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    pthread_cond_t *condition = malloc(sizeof *condition);
    memset(condition, 0x5a, sizeof *condition);
    pthread_cond_signal(condition); // heddle: here
    return 0;
}
