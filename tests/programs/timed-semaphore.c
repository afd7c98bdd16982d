// A semaphore, waited for with a time-out: it times out before the post, or gets it after that.
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t semaphore;
static int data;

static void *poster(void *argument) {
    data = 7;
    sem_post(&semaphore);
    return argument;
}

int main(void) {
    pthread_t thread;
    struct timespec deadline;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, poster, 0);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 5;
    if (sem_timedwait(&semaphore, &deadline) == 0)
        assert(data == 7);
    else
        assert(errno == ETIMEDOUT);
    pthread_join(thread, 0);
}
