// Who waits gives up, and the semaphore on its stack is gone when the other thread posts it.
//
// heddle: kind = memory
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static void *post(void *semaphore)
{
    sem_post(semaphore);
    return NULL;
}

static void ask(void)
{
    sem_t answer;
    struct timespec now;
    pthread_t thread;
    sem_init(&answer, 0, 0);
    pthread_create(&thread, NULL, post, &answer);
    pthread_detach(thread);
    clock_gettime(CLOCK_REALTIME, &now);
    sem_timedwait(&answer, &now);
}

int main(void)
{
    ask();
    return 0;
}
