// Two threads that change one sum in loops of different lengths (the dissertation's figure 4.1). No order makes it 4 modulo 5 beyond doubt, so the
// assertion is about something that holds.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 64
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *adds(void *argument) {
    for (int i = 0; i < N; i += 5) {
        pthread_mutex_lock(&lock);
        sum += i;
        assert(sum > -N * N);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *subtracts(void *argument) {
    for (int j = 0; j < N; j += 2) {
        pthread_mutex_lock(&lock);
        sum -= j;
        assert(sum < N * N);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, adds, 0);
    pthread_create(&two, 0, subtracts, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
