// A semaphore that is posted once too often.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <limits.h>
#include <semaphore.h>

static sem_t semaphore;

int main(void)
{
    sem_init(&semaphore, 0, INT_MAX - 1);
    sem_post(&semaphore);
    sem_post(&semaphore); // heddle: here
    return 0;
}
