// Locks that a constructor has initialised before main.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t two;
static pthread_mutex_t lock;

__attribute__((constructor)) static void prepare(void)
{
    sem_init(&two, 0, 2);
    pthread_mutex_init(&lock, NULL);
}

int main(void)
{
    int value;
    sem_wait(&two);
    sem_getvalue(&two, &value);
    assert(value == 1);
    sem_wait(&two);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    assert(sem_trywait(&two) == -1);
    return 0;
}
