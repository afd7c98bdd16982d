// A thread is given a local variable of a function that has returned by the time it writes there.
//
// heddle: verdict = found
// heddle: kind = memory
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t go;

static void *fill(void *where)
{
    sem_wait(&go);
    *(int *)where = 5; // heddle: here
    return NULL;
}

static __attribute__((noinline)) void begin(pthread_t *thread)
{
    int room[4096];
    memset(room, 0, sizeof room);
    pthread_create(thread, NULL, fill, room);
}

int main(void)
{
    pthread_t thread;
    sem_init(&go, 0, 0);
    begin(&thread);
    sem_post(&go);
    pthread_join(thread, NULL);
    return 0;
}
