// The same lock made of a mutex and a condition variable: the same outcomes in more executions.
// heddle: verdict = safe
// heddle: executions = 60
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writer;

static void read_lock(void) {
    pthread_mutex_lock(&mutex);
    while (writer != 0)
        pthread_cond_wait(&changed, &mutex);
    readers++;
    pthread_mutex_unlock(&mutex);
}

static void read_unlock(void) {
    pthread_mutex_lock(&mutex);
    readers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void write_lock(int kind) {
    pthread_mutex_lock(&mutex);
    while (writer != 0 || readers != 0)
        pthread_cond_wait(&changed, &mutex);
    writer = kind;
    pthread_mutex_unlock(&mutex);
}

static void write_lock_1(void) { write_lock(1); }
static void write_lock_2(void) { write_lock(2); }

static void write_unlock(void) {
    pthread_mutex_lock(&mutex);
    writer = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

#include "custom-two-writers.h"
