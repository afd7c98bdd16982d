// Two threads sleep; the first signal wakes one of them, which says so before the second signal is given.
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t asleep, awake;
static int slept[2], woken[2], sleepers, wakers;

static void *sleeper(void *argument) {
    int me = (int)(long)argument;
    pthread_mutex_lock(&mutex);
    slept[sleepers++] = me;
    sem_post(&asleep);
    pthread_cond_wait(&condition, &mutex);
    woken[wakers++] = me;
    pthread_mutex_unlock(&mutex);
    sem_post(&awake);
    return 0;
}

static void signal_one(void) {
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    sem_wait(&awake);
}

static void two_sleepers(void) {
    pthread_t thread[2];
    sem_init(&asleep, 0, 0);
    sem_init(&awake, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], 0, sleeper, (void *)(long)i);
    // Who has posted holds the mutex until it sleeps.
    sem_wait(&asleep);
    sem_wait(&asleep);
    signal_one();
    signal_one();
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], 0);
}
